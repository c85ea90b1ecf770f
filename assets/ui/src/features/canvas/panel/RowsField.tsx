import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import type { Json } from '../../../core/nodes';
import { Badge, Button, IconButton } from '../../../ui';
import { newRow } from '../document/definition';
import { rowsOf } from '../document/doc';
import { t } from '../words';
import { isOverridable, usePanel, type FieldProps } from './context';
import css from './Panel.module.css';
import { ParamFields } from './ParamFields';

/** What is wrong with rows, by their place and the name of the field. */
export type RowFaults = ReadonlyMap<number, ReadonlyMap<string, string>>;

export interface RowsFieldProps extends FieldProps {
  faults?: RowFaults;
}

/** A list of rows, each with the same fields. Rows that stay are the same objects: outputs follow them. */
export function RowsField({ param, scope, faults }: RowsFieldProps): ReactNode {
  const panel = usePanel();
  const { readOnly } = panel;
  const id = useId();
  const fields = param.array ?? [];
  const rows = rowsOf(scope.values[param.name]);
  const set = (next: Json[]): void => scope.change({ [param.name]: next });
  const swap = (at: number, to: number): void => {
    const next = [...rows];
    const [one, other] = [next[at], next[to]];
    if (!one || !other) return;
    next[at] = other;
    next[to] = one;
    set(next);
  };
  return (
    <div role="group" aria-labelledby={id} className={css.rows}>
      <div className={css.rowsHead}>
        <span id={id} className={css.rowsLabel}>
          {param.label}
        </span>
        {isOverridable(panel, { param, scope }) && <Badge>{t('editor.overridable')}</Badge>}
      </div>
      {param.description && <p className="note">{param.description}</p>}
      {rows.map((row, at) => (
        <div key={at} className={css.row} role="group" aria-label={t('editor.row', { number: at + 1 })}>
          <div className={css.rowHead}>
            <span className={css.rowNumber}>{t('editor.row', { number: at + 1 })}</span>
            {!readOnly && (
              <>
                <IconButton
                  size="compact"
                  icon={ArrowUp}
                  label={t('editor.rowUp', { number: at + 1 })}
                  disabled={at === 0}
                  onClick={() => swap(at, at - 1)}
                />
                <IconButton
                  size="compact"
                  icon={ArrowDown}
                  label={t('editor.rowDown', { number: at + 1 })}
                  disabled={at === rows.length - 1}
                  onClick={() => swap(at, at + 1)}
                />
                <IconButton
                  size="compact"
                  icon={X}
                  label={t('editor.rowRemove', { number: at + 1 })}
                  onClick={() => set(rows.filter((_, other) => other !== at))}
                />
              </>
            )}
          </div>
          <ParamFields
            params={fields}
            scope={{
              ...scope,
              values: row,
              // Conditions name the list, or a field of their own row: they are judged by the row and all that is around it.
              around: scope.list === null ? { ...scope.values, ...row, [param.name]: rows } : scope.around,
              row: at,
              faults: faults?.get(at),
              list: param.name,
              change: (patch) => set(rows.map((one, other) => (other === at ? { ...one, ...patch } : one))),
            }}
          />
        </div>
      ))}
      {!readOnly && (
        <Button
          size="compact"
          icon={Plus}
          className={css.addRow}
          onClick={() => set([...rows, newRow(fields)])}
        >
          {t('editor.rowAdd', { name: param.label })}
        </Button>
      )}
    </div>
  );
}
