import { CloudOff, RotateCw, SearchX, type LucideIcon } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { t } from '../i18n';
import { Button } from './Button';
import { cx } from './cx';
import css from './States.module.css';

export interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  /** One sentence. */
  children?: ReactNode;
  /** One action, or a few ways to begin. */
  actions?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps): ReactNode {
  return (
    <div className={css.state}>
      {Icon && (
        <span className={css.icon}>
          <Icon size={20} aria-hidden />
        </span>
      )}
      <p className={css.title}>{title}</p>
      {children && <p className={css.text}>{children}</p>}
      {actions && <div className={css.actions}>{actions}</div>}
    </div>
  );
}

/** Nothing passes the filters. */
export function FilteredEmpty({ onClear }: { onClear: () => void }): ReactNode {
  return (
    <EmptyState
      icon={SearchX}
      title={t('kit.nothingFound')}
      actions={<Button onClick={onClear}>{t('kit.clearFilters')}</Button>}
    >
      {t('kit.nothingFoundText')}
    </EmptyState>
  );
}

/** What could not be loaded, with Retry. `retryAfter` counts down and then tries by itself. */
export function ErrorState(props: {
  message: string;
  onRetry?: () => void;
  retryAfter?: number | null;
}): ReactNode {
  const { message, onRetry, retryAfter } = props;
  const left = useCountdown(retryAfter ?? 0, onRetry);
  return (
    <div className={css.state} role="alert">
      <span className={cx(css.icon, css.bad)}>
        <CloudOff size={20} aria-hidden />
      </span>
      <p className={css.title}>{t('kit.failed')}</p>
      <p className={css.text}>{message}</p>
      {onRetry && (
        <div className={css.actions}>
          <Button icon={RotateCw} onClick={onRetry} disabled={left > 0}>
            {left > 0 ? t('kit.retryIn', { seconds: left }) : t('kit.retry')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** What could not be loaded because the service is away; it is loaded when the service is back. */
export function AwayState(): ReactNode {
  return (
    <EmptyState icon={CloudOff} title={t('kit.away')}>
      {t('kit.awayText')}
    </EmptyState>
  );
}

/** Counts whole seconds down to zero and then calls `done`. */
export function useCountdown(seconds: number, done?: () => void): number {
  const [left, setLeft] = useState(Math.ceil(seconds));
  useEffect(() => {
    setLeft(Math.ceil(seconds));
  }, [seconds]);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => {
      setLeft(left - 1);
      if (left === 1) done?.();
    }, 1000);
    return () => clearTimeout(timer);
  }, [left, done]);
  return left;
}

export interface SkeletonProps {
  /** How many lines. */
  lines?: number;
  height?: number;
  className?: string;
}

/** Appears after 150 ms, so that quick answers do not flash. */
export function Skeleton({ lines = 1, height = 16, className }: SkeletonProps): ReactNode {
  return (
    <div className={cx(css.skeletons, className)} role="status">
      <span className="sr-only">{t('kit.loading')}</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} className={css.skeleton} style={{ blockSize: height }} aria-hidden />
      ))}
    </div>
  );
}
