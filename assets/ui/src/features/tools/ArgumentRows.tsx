import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Checkbox, Field, Input, Select } from '../../ui';
import { kinds, nextArgument, type Argument, type ArgumentProblem } from './arguments';
import { Rows } from './Rows';
import css from './Tools.module.css';

export interface ArgumentRowsProps {
  rows: readonly Argument[];
  problems: ReadonlyMap<number, ArgumentProblem>;
  readOnly: boolean;
  onChange: (rows: Argument[]) => void;
}

/** The arguments of a tool, a row for each. */
export function ArgumentRows({ rows, problems, readOnly, onChange }: ArgumentRowsProps): ReactNode {
  return (
    <Rows
      label={t('tools.arguments')}
      note={rows.length || !readOnly ? t('tools.argumentsHelp') : t('tools.noArguments')}
      rows={rows}
      readOnly={readOnly}
      rowLabel={(at) => t('tools.argument', { number: at + 1 })}
      rowName={(row) => row.property}
      add={{ label: t('tools.addArgument'), most: 64, make: nextArgument }}
      onChange={onChange}
    >
      {(row, put, remove) => {
        const problem = problems.get(row.id);
        return (
          <>
            <div data-name>
              <Field label={t('tools.argumentName')} error={problem && t(`tools.${problem}`)}>
                <Input
                  spellCheck={false}
                  readOnly={readOnly}
                  value={row.property}
                  onChange={(event) => put({ property: event.target.value })}
                />
              </Field>
            </div>
            <Field label={t('tools.argumentType')}>
              <Select
                value={row.type}
                disabled={readOnly}
                onChange={(type) => put({ type })}
                options={kinds.map((kind) => ({ value: kind, label: t(`tools.${kind}`) }))}
              />
            </Field>
            <Field label={t('tools.argumentDescription')} className={css.wide}>
              <Input
                readOnly={readOnly}
                value={row.description}
                onChange={(event) => put({ description: event.target.value })}
              />
            </Field>
            <div className={css.tools}>
              <Checkbox
                label={t('tools.argumentRequired')}
                checked={row.required}
                disabled={readOnly}
                onChange={(required) => put({ required })}
              />
              {remove}
            </div>
          </>
        );
      }}
    </Rows>
  );
}
