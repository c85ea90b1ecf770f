import { CircleAlert } from 'lucide-react';
import { createContext, use, useId, useMemo, type ComponentProps, type ReactNode } from 'react';
import { t } from '../i18n';
import { cx } from './cx';
import css from './Field.module.css';

interface FieldIds {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
  required: boolean;
}

/** What is wrong with a field, told at once. */
export function FieldError({ children, ...props }: ComponentProps<'p'>): ReactNode {
  return (
    <p {...props} className={css.error} role="alert">
      <CircleAlert size={14} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

const FieldContext = createContext<FieldIds | null>(null);

export interface FieldProps {
  label: string;
  help?: ReactNode;
  /** Shown beside the field and told to screen readers. */
  error?: string | null;
  required?: boolean;
  optional?: boolean;
  /** Something small after the label, such as a link. */
  aside?: ReactNode;
  /** Keeps the label for screen readers only. */
  hideLabel?: boolean;
  className?: string;
  children: ReactNode;
}

/** Label, help and error of one control. The kit's own controls inside it are wired by themselves. */
export function Field(props: FieldProps): ReactNode {
  const { label, help, error, required = false, optional, aside, hideLabel, className, children } = props;
  const id = useId();
  const describedBy = cx(help ? `${id}-help` : null, error ? `${id}-error` : null) || undefined;
  const ids = useMemo(
    () => ({ id, describedBy, invalid: Boolean(error), required }),
    [id, describedBy, error, required],
  );
  return (
    <FieldContext value={ids}>
      <div className={cx(css.field, className)}>
        <div className={hideLabel ? 'sr-only' : css.head}>
          <label htmlFor={id} id={`${id}-label`} className={css.label}>
            {label}
            {required && (
              <span className={css.required} title={t('kit.required')} aria-hidden>
                *
              </span>
            )}
            {optional && <span className={css.optional}>{t('kit.optional')}</span>}
          </label>
          {aside}
        </div>
        {children}
        {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
        {help && (
          <p id={`${id}-help`} className="note">
            {help}
          </p>
        )}
      </div>
    </FieldContext>
  );
}

/** What a control inside a `Field` carries. */
export function useField(own: { id?: string } = {}): {
  id: string | undefined;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
  'aria-required': boolean | undefined;
} {
  const ids = use(FieldContext);
  return {
    id: own.id ?? ids?.id,
    'aria-describedby': ids?.describedBy,
    'aria-invalid': ids?.invalid || undefined,
    'aria-required': ids?.required || undefined,
  };
}

/** The id of the label around a control, for widgets that are no form controls. */
export function useFieldLabel(): string | undefined {
  const ids = use(FieldContext);
  return ids ? `${ids.id}-label` : undefined;
}

export type InputProps = ComponentProps<'input'>;

export function Input(props: InputProps): ReactNode {
  return (
    <input {...useField(props)} autoComplete="off" {...props} className={cx(css.input, props.className)} />
  );
}

export function TextArea(props: ComponentProps<'textarea'>): ReactNode {
  return (
    <textarea rows={4} {...useField(props)} {...props} className={cx(css.input, css.area, props.className)} />
  );
}

/** Several fields below one another, with the right space between. */
export function Fields({ children, className }: { children: ReactNode; className?: string }): ReactNode {
  return <div className={cx(css.fields, className)}>{children}</div>;
}

/** Short fields beside one another, as far as there is room. */
export function FieldGrid({ children }: { children: ReactNode }): ReactNode {
  return <div className={css.grid}>{children}</div>;
}
