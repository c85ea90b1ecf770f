import type { ReactNode } from 'react';
import { useCan } from '../../api/me';
import { Checkbox, Field, Input, TextArea, type FormState } from '../../ui';
import type { Kept } from './entries';
import { t } from './words';

/** What is said of a template while it is made or changed. */
export interface Said {
  name: string;
  description: string;
  /** A comma between each two. */
  uses: string;
  shared: boolean;
}

export const said = (name = '', description = '', kept?: Kept): Said => ({
  name,
  description,
  uses: kept?.uses.join(', ') ?? '',
  shared: kept?.shared ?? false,
});

export const usesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  ),
];

export interface TemplateWordsProps {
  form: Pick<FormState<Said>, 'values' | 'errors' | 'set'>;
  /** The person may say who uses it, and nothing else of it. */
  fixed?: boolean;
}

export function TemplateWords({ form, fixed = false }: TemplateWordsProps): ReactNode {
  const { values, errors, set } = form;
  const mayShare = useCan()('templates:custom-share');
  return (
    <>
      <Field label={t('kit.name')} error={errors.name}>
        <Input
          maxLength={200}
          value={values.name}
          disabled={fixed}
          onChange={(event) => set('name', event.target.value)}
        />
      </Field>
      <Field label={t('templates.about')}>
        <TextArea
          rows={3}
          value={values.description}
          disabled={fixed}
          onChange={(event) => set('description', event.target.value)}
        />
      </Field>
      <Field label={t('templates.uses')} help={t('templates.usesHelp')} optional>
        <Input value={values.uses} disabled={fixed} onChange={(event) => set('uses', event.target.value)} />
      </Field>
      <Checkbox
        label={t('templates.share')}
        help={t(mayShare ? 'templates.shareHelp' : 'templates.mayNotShare')}
        checked={values.shared}
        disabled={!mayShare}
        onChange={(shared) => set('shared', shared)}
      />
    </>
  );
}
