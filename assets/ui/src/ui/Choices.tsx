import { useId, type ReactNode } from 'react';
import css from './Choices.module.css';
import { cx } from './cx';

export interface Choice<Value extends string = string> {
  value: Value;
  label: string;
  description?: ReactNode;
  /** At the end of its line, such as badges. */
  aside?: ReactNode;
  disabled?: boolean;
}

export interface ChoicesProps<Value extends string = string> {
  label: string;
  hideLabel?: boolean;
  /** Null while none is chosen. */
  value: Value | null;
  onChange: (value: Value) => void;
  options: readonly Choice<Value>[];
  /** Many of them: the list scrolls. */
  long?: boolean;
}

/** One of several, with room for what tells them apart; all are in view. */
export function Choices<Value extends string>(props: ChoicesProps<Value>): ReactNode {
  const { label, hideLabel, value, onChange, options, long } = props;
  const id = useId();
  return (
    <fieldset className={css.choices}>
      <legend className={hideLabel ? 'sr-only' : css.legend}>{label}</legend>
      <div className={cx(css.list, long && css.long)}>
        {options.map((option, at) => (
          <label
            key={option.value}
            className={cx(css.choice, option.value === value && css.here, option.disabled && css.off)}
          >
            <input
              type="radio"
              className={css.mark}
              name={id}
              checked={option.value === value}
              disabled={option.disabled}
              aria-labelledby={`${id}-${at}`}
              aria-describedby={option.description || option.aside ? `${id}-${at}-more` : undefined}
              onChange={() => onChange(option.value)}
            />
            <span id={`${id}-${at}`} className={css.name}>
              {option.label}
            </span>
            <span id={`${id}-${at}-more`} className={css.more}>
              {option.aside && <span className={css.aside}>{option.aside}</span>}
              {option.description && <span className="note">{option.description}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
