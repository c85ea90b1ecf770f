import { Plus, X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { t } from '../../i18n';
import { Button, Checkbox, Field, IconButton, Input, Select } from '../../ui';
import { kinds, nextArgument, type Argument, type ArgumentProblem } from './arguments';
import css from './Tools.module.css';

export interface ArgumentRowsProps {
  rows: readonly Argument[];
  problems: ReadonlyMap<number, ArgumentProblem>;
  readOnly: boolean;
  onChange: (rows: Argument[]) => void;
}

/** The arguments of a tool, a row for each. */
export function ArgumentRows({ rows, problems, readOnly, onChange }: ArgumentRowsProps): ReactNode {
  const group = useRef<HTMLDivElement>(null);
  const put = (id: number, part: Partial<Argument>): void =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const focusLast = (): void => {
    requestAnimationFrame(() => {
      const inputs = group.current?.querySelectorAll<HTMLElement>('[data-name] input');
      (inputs?.length ? inputs[inputs.length - 1] : group.current?.querySelector('button'))?.focus();
    });
  };
  return (
    <div className={css.group} role="group" aria-label={t('tools.arguments')} ref={group}>
      <div>
        <p className={css.label}>{t('tools.arguments')}</p>
        <p className="note">{rows.length || !readOnly ? t('tools.argumentsHelp') : t('tools.noArguments')}</p>
      </div>
      {rows.map((row, at) => {
        const problem = problems.get(row.id);
        const label = t('tools.argument', { number: at + 1 });
        return (
          <div key={row.id} className={css.row} role="group" aria-label={label}>
            <div data-name className={css.property}>
              <Field label={t('tools.argumentName')} error={problem && t(`tools.${problem}`)}>
                <Input
                  spellCheck={false}
                  readOnly={readOnly}
                  value={row.property}
                  onChange={(event) => put(row.id, { property: event.target.value })}
                />
              </Field>
            </div>
            <Field label={t('tools.argumentType')}>
              <Select
                value={row.type}
                disabled={readOnly}
                onChange={(type) => put(row.id, { type })}
                options={kinds.map((kind) => ({ value: kind, label: t(`tools.${kind}`) }))}
              />
            </Field>
            <Field label={t('tools.argumentDescription')} className={css.wide}>
              <Input
                readOnly={readOnly}
                value={row.description}
                onChange={(event) => put(row.id, { description: event.target.value })}
              />
            </Field>
            <div className={css.tools}>
              <Checkbox
                label={t('tools.argumentRequired')}
                checked={row.required}
                disabled={readOnly}
                onChange={(required) => put(row.id, { required })}
              />
              {!readOnly && (
                <IconButton
                  icon={X}
                  size="compact"
                  label={t('tools.remove', { name: row.property || label })}
                  onClick={() => {
                    onChange(rows.filter((one) => one.id !== row.id));
                    focusLast();
                  }}
                />
              )}
            </div>
          </div>
        );
      })}
      {!readOnly && (
        <div>
          <Button
            size="compact"
            icon={Plus}
            disabled={rows.length >= 64}
            onClick={() => {
              onChange([...rows, nextArgument(rows)]);
              focusLast();
            }}
          >
            {t('tools.addArgument')}
          </Button>
        </div>
      )}
    </div>
  );
}
