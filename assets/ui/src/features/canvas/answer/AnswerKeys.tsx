import { useMemo, type ReactNode } from 'react';
import { useAnswerSchema } from '../../../api/code';
import { Fields, useSettled } from '../../../ui';
import { Snippet } from '../../../ui/Snippet';
import { rowsOf } from '../document/doc';
import { t } from '../words';
import type { FieldProps } from '../panel/context';
import { Fold } from '../panel/Fold';
import css from '../panel/Panel.module.css';
import { RowsField, type RowFaults } from '../panel/RowsField';

/** How long the typing rests before the keys are judged. */
const REST_MS = 400;

/** The keys that a model's answer must have: what is wrong stands at its row, and what the model is sent below them. */
export default function AnswerKeys({ param, scope }: FieldProps): ReactNode {
  const rows = JSON.stringify(rowsOf(scope.values[param.name]));
  const settled = useSettled(rows, REST_MS);
  const judged = useAnswerSchema(settled).data;
  const faults = useMemo(() => {
    const found = new Map<number, Map<string, string>>();
    for (const { row, field, message } of judged?.faults ?? [])
      found.set(row, (found.get(row) ?? new Map<string, string>()).set(field, message));
    return found;
  }, [judged]);
  if (rows === '[]') return <RowsField param={param} scope={scope} />;
  // Rows that were moved or taken away since are not those that were judged.
  const fitting: RowFaults | undefined = settled === rows ? faults : undefined;
  return (
    <div className={css.rows}>
      <RowsField param={param} scope={scope} {...(fitting ? { faults: fitting } : {})} />
      {judged && (
        <Fold title={t('editor.sentSchema')}>
          {judged.schema === undefined ? (
            <p className="note">{t(faults.size > 0 ? 'editor.schemaFaulty' : 'editor.schemaEmpty')}</p>
          ) : (
            <Fields>
              <Shown label={t('editor.jsonSchema')} value={judged.schema} />
              <Shown label={t('editor.exampleAnswer')} value={judged.example} />
            </Fields>
          )}
        </Fold>
      )}
    </div>
  );
}

function Shown({ label, value }: { label: string; value: unknown }): ReactNode {
  return (
    <Snippet label={label} text={JSON.stringify(value, null, 2)} copy={t('canvas.copyOf', { name: label })} />
  );
}
