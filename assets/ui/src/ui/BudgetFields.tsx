import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { isLimit, type BudgetText } from '../core/budget';
import { number } from '../core/format';
import { t } from '../i18n';
import css from './BudgetFields.module.css';
import { Field, FieldGrid, Input } from './Field';
import type { FormState } from './useForm';

export interface BudgetFieldsProps {
  value: BudgetText;
  onChange: (change: Partial<BudgetText>) => void;
  /** What was used since the day began; undefined while that is not known. */
  used: { questions: number; tokens: number } | undefined;
  /** Where more of it is told. */
  to: string;
  /** What the service said of one of them. */
  errors?: { questions?: string | undefined; tokens?: string | undefined };
}

/** What may be used in a day, and what was used of it. Its texts come with the screens that show it. */
export function BudgetFields({ value, onChange, used, to, errors = {} }: BudgetFieldsProps): ReactNode {
  const field = (name: 'questions' | 'tokens', help?: string): ReactNode => (
    <Field
      label={t(`budget.${name}`)}
      error={isLimit(value[name]) ? errors[name] : t('budget.bad')}
      help={help}
      optional
    >
      <Input
        inputMode="numeric"
        maxLength={20}
        value={value[name]}
        placeholder={t('budget.noLimit')}
        onChange={(event) => onChange({ [name]: event.target.value })}
      />
    </Field>
  );
  return (
    <>
      <FieldGrid>
        {field('questions')}
        {field('tokens', t('budget.tokensHelp'))}
      </FieldGrid>
      <p className={css.used}>
        {used && <>{t('budget.used', { questions: number(used.questions), tokens: number(used.tokens) })} </>}
        <Link href={to}>{t('budget.usage')}</Link>
      </p>
    </>
  );
}

export interface BudgetFieldsetProps extends Pick<BudgetFieldsProps, 'used' | 'to'> {
  form: Pick<FormState<BudgetText>, 'values' | 'set' | 'errors'>;
  /** One sentence on whom it bounds. */
  text: string;
  disabled?: boolean;
}

/** The budget as one part of a form with more in it. */
export function BudgetFieldset({ form, text, used, to, disabled }: BudgetFieldsetProps): ReactNode {
  return (
    <fieldset className={css.part} disabled={disabled}>
      <legend>{t('budget.title')}</legend>
      <p className="note">{text}</p>
      <BudgetFields
        value={form.values}
        onChange={({ questions, tokens }) => {
          if (questions !== undefined) form.set('questions', questions);
          if (tokens !== undefined) form.set('tokens', tokens);
        }}
        used={used}
        to={to}
        errors={form.errors}
      />
    </fieldset>
  );
}
