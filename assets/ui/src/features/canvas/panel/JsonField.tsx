import { useMemo, type ReactNode } from 'react';
import { list } from '../../../core/format';
import { jsonFault } from '../../../core/flowtext';
import { formOf, misfitIn, type JsonForm } from '../../../core/jsonForm';
import { CodeField, Field, useSettled } from '../../../ui';
import type { Offer } from '../document/references';
import { t } from '../words';
import { usePanel, type FieldProps } from './context';
import { asText } from './values';

/** How long the typing rests before it is judged: while somebody writes nothing is whole. */
const REST_MS = 500;
const UNJUDGED = { fault: null, misfit: null };

/**
 * JSON of an input: what may stand in it is offered, the form it must have is told, and where it stops being JSON or is of
 * another form is said at the field.
 */
export function JsonField({ param, scope, aside }: FieldProps & { aside: ReactNode }): ReactNode {
  const { readOnly, offers } = usePanel();
  const value = asText(scope.values[param.name]);
  const settled = useSettled(value, REST_MS);
  const judged = useMemo(
    () => ({ fault: jsonFault(settled), misfit: misfitIn(param.schema, settled) }),
    [param.schema, settled],
  );
  const { fault, misfit } = settled === value ? judged : UNJUDGED;
  const told = scope.faults?.get(param.name);
  const form = formOf(param.schema);
  return (
    <Field
      label={param.label}
      help={[param.description, form && formText(form)].filter(Boolean).join(' ')}
      required={param.optional !== true}
      error={
        told ??
        (fault && t('editor.noJson', { line: fault.line, column: fault.column })) ??
        (misfit && t(`editor.misfit.${misfit.wanted}`, { line: misfit.at.line, column: misfit.at.column }))
      }
      {...(aside ? { aside } : {})}
    >
      <CodeField
        language="json"
        value={value}
        onChange={(next) => scope.change({ [param.name]: next })}
        readOnly={readOnly}
        minLines={param.type === 'code' ? 8 : 3}
        fault={(fault ?? misfit?.at)?.offset ?? null}
        completions={namesIn(offers(false))}
      />
    </Field>
  );
}

const formText = (form: JsonForm): string =>
  form.key === 'rows' ? t('editor.form.rows', { fields: list(form.fields) }) : t(`editor.form.${form.key}`);

const namesIn = (offers: readonly Offer[]): { label: string; detail: string }[] =>
  offers.map(({ text, detail }) => ({
    label: text,
    detail: typeof detail === 'string' ? t(detail) : detail.name,
  }));
