import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Slot } from 'radix-ui';
import css from './Button.module.css';
import { cx } from './cx';
import { Spinner } from './Spinner';
import { Tooltip } from './Tooltip';

export type ButtonVariant = 'primary' | 'default' | 'ghost' | 'danger';

export interface ButtonProps extends ComponentProps<'button'> {
  /** One `primary` per view. */
  variant?: ButtonVariant;
  size?: 'default' | 'compact';
  icon?: LucideIcon;
  iconEnd?: LucideIcon;
  /** Shows that the action runs and takes no further clicks. */
  busy?: boolean;
  /** Draws its one child (a link) as a button. */
  asChild?: boolean;
}

export function Button(props: ButtonProps): ReactNode {
  const {
    variant = 'default',
    size = 'default',
    icon: Icon,
    iconEnd: IconEnd,
    busy,
    asChild,
    className,
    children,
    ...rest
  } = props;
  const name = cx(css.button, css[variant], size === 'compact' && css.compact, className);
  if (asChild) {
    return (
      <Slot.Root className={name} {...rest}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button
      type="button"
      {...rest}
      className={name}
      aria-busy={busy || undefined}
      disabled={rest.disabled || busy}
    >
      {busy ? <Spinner /> : Icon && <Icon size={15} aria-hidden />}
      {children !== undefined && <span className={css.label}>{children}</span>}
      {IconEnd && <IconEnd size={14} aria-hidden />}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** What it does; shown as a tooltip as well. */
  label: string;
  icon: LucideIcon;
  shortcut?: string;
  variant?: ButtonVariant;
  size?: 'default' | 'compact';
  busy?: boolean;
  /** For buttons that switch something on. */
  pressed?: boolean;
  tooltipSide?: 'top' | 'right' | 'bottom' | 'left';
}

export function IconButton(props: IconButtonProps): ReactNode {
  const {
    label,
    icon: Icon,
    shortcut,
    variant = 'ghost',
    size = 'default',
    busy,
    pressed,
    tooltipSide,
    className,
    ...rest
  } = props;
  return (
    <Tooltip text={label} shortcut={shortcut} side={tooltipSide}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-pressed={pressed}
        aria-busy={busy || undefined}
        disabled={rest.disabled || busy}
        className={cx(css.button, css.square, css[variant], size === 'compact' && css.compact, className)}
      >
        {busy ? <Spinner /> : <Icon size={16} aria-hidden />}
      </button>
    </Tooltip>
  );
}
