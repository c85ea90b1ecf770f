import { Check, Minus } from 'lucide-react';
import { Checkbox as CheckboxPrimitive, Switch as Primitive } from 'radix-ui';
import { useId, type ReactNode } from 'react';
import { cx } from './cx';
import css from './Switch.module.css';

export interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: string;
  help?: ReactNode;
  disabled?: boolean;
  hideLabel?: boolean;
  /** The words at the start and the switch at the end of the line. */
  spread?: boolean;
}

/** Acts at once. For a choice that is sent with a form, take `Checkbox`. */
export function Switch(props: SwitchProps): ReactNode {
  const { checked, onChange, label, help, disabled, hideLabel, spread } = props;
  const id = useId();
  return (
    <div className={cx(css.row, spread && css.spread)}>
      <Primitive.Root
        id={id}
        className={css.track}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-describedby={help ? `${id}-help` : undefined}
      >
        <Primitive.Thumb className={css.thumb} />
      </Primitive.Root>
      <Words id={id} label={label} help={help} hideLabel={hideLabel} />
    </div>
  );
}

export interface CheckboxProps extends Omit<SwitchProps, 'checked' | 'spread'> {
  checked: boolean | 'indeterminate';
}

export function Checkbox(props: CheckboxProps): ReactNode {
  const { checked, onChange, label, help, disabled, hideLabel } = props;
  const id = useId();
  return (
    <div className={css.row}>
      <CheckboxPrimitive.Root
        id={id}
        className={css.box}
        checked={checked}
        onCheckedChange={(next) => onChange(next === true)}
        disabled={disabled}
        aria-describedby={help ? `${id}-help` : undefined}
      >
        <CheckboxPrimitive.Indicator>
          {checked === 'indeterminate' ? (
            <Minus size={12} strokeWidth={3} aria-hidden />
          ) : (
            <Check size={12} strokeWidth={3} aria-hidden />
          )}
        </CheckboxPrimitive.Indicator>
      </CheckboxPrimitive.Root>
      <Words id={id} label={label} help={help} hideLabel={hideLabel} />
    </div>
  );
}

function Words(props: {
  id: string;
  label: string;
  help: ReactNode;
  hideLabel: boolean | undefined;
}): ReactNode {
  const { id, label, help, hideLabel } = props;
  return (
    <div className={hideLabel ? 'sr-only' : css.words}>
      <label htmlFor={id}>{label}</label>
      {help && (
        <p id={`${id}-help`} className="note">
          {help}
        </p>
      )}
    </div>
  );
}
