import { Plus, X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { t } from '../../i18n';
import { Button, IconButton } from '../../ui';
import css from './Tools.module.css';

export interface RowsProps<Row extends { id: number }> {
  label: string;
  note: ReactNode;
  rows: readonly Row[];
  readOnly: boolean;
  /** What a row is called: its own name, or where it stands. */
  rowLabel: (at: number) => string;
  rowName: (row: Row) => string;
  add: { label: string; most: number; make: (rows: readonly Row[]) => Row };
  onChange: (rows: Row[]) => void;
  /** The fields of a row; the first input of what carries `data-name` gets the focus when the row is new. */
  children: (row: Row, put: (part: Partial<Row>) => void, remove: ReactNode) => ReactNode;
}

/** Rows of a form that are added and taken away. */
export function Rows<Row extends { id: number }>(props: RowsProps<Row>): ReactNode {
  const { label, note, rows, readOnly, rowLabel, rowName, add, onChange, children } = props;
  const group = useRef<HTMLDivElement>(null);
  const put =
    (id: number) =>
    (part: Partial<Row>): void =>
      onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const focusLast = (): void => {
    requestAnimationFrame(() => {
      const inputs = group.current?.querySelectorAll<HTMLElement>('[data-name] input');
      (inputs?.length ? inputs[inputs.length - 1] : group.current?.querySelector('button'))?.focus();
    });
  };
  return (
    <div className={css.group} role="group" aria-label={label} ref={group}>
      <div>
        <p className={css.label}>{label}</p>
        <p className="note">{note}</p>
      </div>
      {rows.map((row, at) => (
        <div key={row.id} className={css.row} role="group" aria-label={rowLabel(at)}>
          {children(
            row,
            put(row.id),
            !readOnly && (
              <IconButton
                icon={X}
                size="compact"
                label={t('tools.remove', { name: rowName(row) || rowLabel(at) })}
                onClick={() => {
                  onChange(rows.filter((one) => one.id !== row.id));
                  focusLast();
                }}
              />
            ),
          )}
        </div>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="compact"
            icon={Plus}
            disabled={rows.length >= add.most}
            onClick={() => {
              onChange([...rows, add.make(rows)]);
              focusLast();
            }}
          >
            {add.label}
          </Button>
        </div>
      )}
    </div>
  );
}
