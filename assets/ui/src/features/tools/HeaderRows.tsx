import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Field, Input } from '../../ui';
import { Rows } from './Rows';
import { nextHeader, type Header, type HeaderProblem } from './serverFields';
import css from './Tools.module.css';

export interface HeaderRowsProps {
  rows: readonly Header[];
  problems: ReadonlyMap<number, HeaderProblem>;
  readOnly: boolean;
  onChange: (rows: Header[]) => void;
}

/** What a server is asked with, a row for each header. Values are written, never read. */
export function HeaderRows({ rows, problems, readOnly, onChange }: HeaderRowsProps): ReactNode {
  return (
    <Rows
      label={t('toolServers.headers')}
      note={t(rows.length || !readOnly ? 'toolServers.headersHelp' : 'toolServers.noHeaders')}
      rows={rows}
      readOnly={readOnly}
      rowLabel={(at) => t('toolServers.header', { number: at + 1 })}
      rowName={(row) => row.name}
      add={{ label: t('toolServers.addHeader'), most: 50, make: nextHeader }}
      onChange={onChange}
    >
      {(row, put, remove) => {
        const problem = problems.get(row.id);
        const ofValue = problem === 'again' || (problem === 'required' && row.name.trim() !== '');
        const error = problem && t(`toolServers.${problem}`);
        return (
          <>
            <div data-name className={css.wide}>
              <Field label={t('toolServers.headerName')} error={ofValue ? null : error}>
                <Input
                  spellCheck={false}
                  // Under another name nothing is stored: the row is taken away, and another one is added.
                  readOnly={readOnly || row.stored}
                  maxLength={256}
                  value={row.name}
                  onChange={(event) => put({ name: event.target.value })}
                />
              </Field>
            </div>
            <Field label={t('toolServers.headerValue')} error={ofValue ? error : null} className={css.value}>
              <Input
                type="password"
                autoComplete="new-password"
                spellCheck={false}
                readOnly={readOnly}
                placeholder={row.stored ? t(readOnly ? 'toolServers.stored' : 'toolServers.keepValue') : ''}
                value={row.value}
                onChange={(event) => put({ value: event.target.value })}
              />
            </Field>
            <div className={css.tools}>{remove}</div>
          </>
        );
      }}
    </Rows>
  );
}
