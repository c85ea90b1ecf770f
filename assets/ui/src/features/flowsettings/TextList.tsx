import { Plus, X } from 'lucide-react';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { t } from '../../i18n';
import { Button, Field, IconButton, Input } from '../../ui';
import css from './FlowSettings.module.css';

export interface TextListProps {
  values: readonly string[];
  onChange: (values: string[]) => void;
  /** "Domain {number}". */
  label: (number: number) => string;
  add: string;
  placeholder?: string;
  errorOf?: (value: string) => string | null;
}

/** A list of short texts, one field each. */
export function TextList({ values, onChange, label, add, placeholder, errorOf }: TextListProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  // Before the next key arrives: it belongs to the new row.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const inputs = box.current?.querySelectorAll('input');
    (inputs?.[wanted.current] ?? box.current?.querySelector('button'))?.focus();
    wanted.current = null;
  }, [values]);
  const focus = (at: number): void => {
    wanted.current = at;
  };
  return (
    <div ref={box} className={css.list}>
      {values.map((value, at) => (
        // Rows have no name of their own; they are only added at the end.
        <div key={at} className={css.listRow}>
          <Field label={label(at + 1)} hideLabel error={value.trim() ? errorOf?.(value) : null}>
            <Input
              value={value}
              placeholder={placeholder}
              onChange={(event) => onChange(values.map((one, i) => (i === at ? event.target.value : one)))}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && value.trim() && at === values.length - 1) {
                  event.preventDefault();
                  focus(at + 1);
                  onChange([...values, '']);
                }
              }}
            />
          </Field>
          <IconButton
            icon={X}
            label={t('flowsettings.remove', { name: value || label(at + 1) })}
            onClick={() => {
              focus(Math.max(0, at - 1));
              onChange(values.filter((_, i) => i !== at));
            }}
          />
        </div>
      ))}
      <div>
        <Button
          size="compact"
          icon={Plus}
          onClick={() => {
            focus(values.length);
            onChange([...values, '']);
          }}
        >
          {add}
        </Button>
      </div>
    </div>
  );
}
