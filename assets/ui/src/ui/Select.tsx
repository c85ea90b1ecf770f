import { Check, ChevronDown } from 'lucide-react';
import { getNonce } from 'get-nonce';
import { Select as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './cx';
import { useField } from './Field';
import css from './Select.module.css';
import menu from './Menu.module.css';

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  description?: string;
  disabled?: boolean;
}

export interface SelectProps<Value extends string = string> {
  value: Value | undefined;
  onChange: (value: Value) => void;
  options: readonly Option<Value>[];
  placeholder?: string;
  /** Needed when there is no `Field` around it. */
  'aria-label'?: string;
  disabled?: boolean;
  size?: 'default' | 'compact';
  className?: string;
}

// The primitive refuses an empty value; this stands for it.
const EMPTY = '\u0000';

export function Select<Value extends string>(props: SelectProps<Value>): ReactNode {
  const { value, onChange, options, placeholder, disabled, size, className } = props;
  const field = useField();
  const has = options.some((option) => option.value === value);
  return (
    <Primitive.Root
      value={has ? value || EMPTY : ''}
      onValueChange={(next) => onChange((next === EMPTY ? '' : next) as Value)}
      disabled={disabled}
    >
      <Primitive.Trigger
        {...field}
        aria-label={props['aria-label']}
        className={cx(css.trigger, size === 'compact' && css.compact, className)}
      >
        <span className="clipped">
          <Primitive.Value placeholder={placeholder} />
        </span>
        <Primitive.Icon asChild>
          <ChevronDown size={14} aria-hidden className="muted" />
        </Primitive.Icon>
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          className={cx(menu.menu, css.list)}
          position="popper"
          sideOffset={4}
          collisionPadding={8}
        >
          <Primitive.Viewport nonce={getNonce()}>
            {options.map((option) => (
              <Primitive.Item
                key={option.value}
                value={option.value || EMPTY}
                disabled={option.disabled}
                className={cx(menu.item, css.item)}
                // All that is read on it is its name, not the label alone.
                aria-labelledby={undefined}
              >
                <span className={css.text}>
                  <Primitive.ItemText>{option.label}</Primitive.ItemText>
                  {option.description && <span className="note">{option.description}</span>}
                </span>
                <Primitive.ItemIndicator>
                  <Check size={14} aria-hidden />
                </Primitive.ItemIndicator>
              </Primitive.Item>
            ))}
          </Primitive.Viewport>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
