import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../i18n';
import { IconButton } from './Button';
import css from './Banner.module.css';
import { cx } from './cx';

export type Tone = 'info' | 'success' | 'warning' | 'danger';

const icons = { info: Info, success: CircleCheck, warning: TriangleAlert, danger: CircleAlert };

export interface BannerProps {
  tone?: Tone;
  title?: string;
  children?: ReactNode;
  /** Buttons at the end. */
  actions?: ReactNode;
  onClose?: () => void;
  className?: string;
}

export function Banner({
  tone = 'info',
  title,
  children,
  actions,
  onClose,
  className,
}: BannerProps): ReactNode {
  const Icon = icons[tone];
  return (
    <div className={cx(css.banner, css[tone], className)} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon size={16} aria-hidden className={css.icon} />
      <div className={css.words}>
        {title && <p className={css.title}>{title}</p>}
        {children && <div className={css.text}>{children}</div>}
      </div>
      {actions && <div className={css.actions}>{actions}</div>}
      {onClose && <IconButton icon={X} label={t('kit.close')} size="compact" onClick={onClose} />}
    </div>
  );
}
