import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Field, IconButton, Input, Select, TextArea } from '../../ui';
import { kinds, valueFor, type ExpectationKind, type ExpectationRow } from './expectations';
import own from './Kept.module.css';
import { t } from './words';

export interface ExpectationFieldsProps {
  number: number;
  row: ExpectationRow;
  error: string | null;
  onChange: (row: ExpectationRow) => void;
  onRemove: () => void;
}

/** One thing that is expected of answers. */
export function ExpectationFields(props: ExpectationFieldsProps): ReactNode {
  const { number, row, error, onChange, onRemove } = props;
  const { kind, value } = row;
  const name = t('check.expectation', { number });
  return (
    <div className={own.expectation} role="group" aria-label={name} data-row={row.key}>
      <Field label={t('check.kind')}>
        <Select<ExpectationKind>
          value={kind}
          onChange={(next) => onChange({ ...row, kind: next, value: valueFor(next, row) })}
          options={kinds.map((one) => ({ value: one, label: t(`check.kind.${one}`) }))}
        />
      </Field>
      <Field label={t(`check.value.${kind}`)} error={error} className={own.value}>
        <Value kind={kind} value={value} onChange={(next) => onChange({ ...row, value: next })} />
      </Field>
      <IconButton
        icon={X}
        size="compact"
        className={own.removeRow}
        label={t('check.removeExpectation', { number })}
        onClick={onRemove}
      />
    </div>
  );
}

interface ValueProps {
  kind: ExpectationKind;
  value: string;
  onChange: (value: string) => void;
}

function Value({ kind, value, onChange }: ValueProps): ReactNode {
  if (kind === 'refuses') {
    return (
      <Select
        value={value === 'true' ? 'true' : 'false'}
        onChange={onChange}
        options={[
          { value: 'true', label: t('check.refuses.true') },
          { value: 'false', label: t('check.refuses.false') },
        ]}
      />
    );
  }
  if (kind === 'json' || kind === 'equals') {
    return (
      <TextArea
        rows={kind === 'json' ? 4 : 2}
        className={kind === 'json' ? own.code : undefined}
        spellCheck={kind !== 'json'}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <Input
      value={value}
      spellCheck={false}
      className={kind === 'matches' ? own.code : undefined}
      inputMode={kind === 'maxMs' ? 'numeric' : 'text'}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
