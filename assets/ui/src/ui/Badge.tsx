import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import css from './Badge.module.css';
import { cx } from './cx';

export interface BadgeProps {
  tone?: 'neutral' | 'accent' | 'info' | 'success' | 'warning' | 'danger';
  /** State is never colour alone. */
  icon?: LucideIcon;
  children: ReactNode;
  title?: string;
  className?: string;
}

export function Badge({ tone = 'neutral', icon: Icon, children, title, className }: BadgeProps): ReactNode {
  return (
    <span className={cx(css.badge, css[tone], className)} title={title}>
      {Icon && <Icon size={12} aria-hidden />}
      {children}
    </span>
  );
}
