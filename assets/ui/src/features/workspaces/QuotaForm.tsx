import type { ReactNode } from 'react';
import { useMe } from '../../api/me';
import { useSetQuota, type Workspace } from '../../api/workspaces';
import { bytes, number } from '../../core/format';
import {
  countedParts,
  isPart,
  quotaOf,
  textOfQuota,
  type CountedPart,
  type QuotaText,
} from '../../core/quota';
import { t } from '../../i18n';
import { Field, FieldGrid, FormDialog, Input, toast, useForm } from '../../ui';
import { BudgetFieldset } from '../../ui/BudgetFields';

const labels = {
  flows: 'workspaces.quotaFlows',
  chunks: 'workspaces.quotaChunks',
  characters: 'workspaces.quotaCharacters',
  vectors: 'workspaces.quotaVectors',
} as const;

const bad = {
  flows: 'workspaces.quotaBadNumber',
  chunks: 'workspaces.quotaBadNumber',
  characters: 'workspaces.quotaBadNumber',
  vectors: 'workspaces.quotaBadNumber',
  files: 'workspaces.quotaBadFiles',
  questions: 'budget.bad',
  tokens: 'budget.bad',
} as const;

/** What a workspace may hold and use, and what of it is used. The owner changes it; the others read it. */
export function QuotaForm({ workspace, onClose }: { workspace: Workspace; onClose: () => void }): ReactNode {
  const { name, quota, quotaUse } = workspace;
  const isOwner = Boolean(useMe().data?.isOrganizationAdmin);
  const save = useSetQuota();
  const form = useForm(textOfQuota(quota), {
    check: problemsOf,
    send: async (text) => {
      await save.mutateAsync({ id: workspace.id, quota: quotaOf(text) });
      toast(t('workspaces.quotaSaved', { name }));
      onClose();
    },
  });
  const field = (part: CountedPart | 'files', label: string, used: string | undefined): ReactNode => (
    <Field
      key={part}
      label={label}
      optional
      help={used === undefined ? undefined : t('workspaces.quotaIn', { used })}
      error={isPart(part, form.values[part]) ? form.errors[part] : t(bad[part])}
    >
      <Input
        inputMode={part === 'files' ? 'decimal' : 'numeric'}
        maxLength={20}
        disabled={!isOwner}
        value={form.values[part]}
        placeholder={t('budget.noLimit')}
        onChange={(event) => form.set(part, event.target.value)}
      />
    </Field>
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t('workspaces.quotaOf', { name })}
      description={t(isOwner ? 'workspaces.quotaText' : 'workspaces.quotaOwner')}
      action={t('kit.save')}
      readOnly={!isOwner}
    >
      <FieldGrid>
        {countedParts.map((part) =>
          field(part, t(labels[part]), quotaUse ? number(quotaUse[part]) : undefined),
        )}
        {field('files', t('workspaces.quotaFiles'), quotaUse ? bytes(quotaUse.fileBytes) : undefined)}
      </FieldGrid>
      <BudgetFieldset
        form={form}
        text={t('workspaces.quotaDay')}
        used={quotaUse ? { questions: quotaUse.questionsToday, tokens: quotaUse.tokensToday } : undefined}
        to="/usage"
        disabled={!isOwner}
      />
    </FormDialog>
  );
}

function problemsOf(text: QuotaText): Partial<Record<keyof QuotaText, string>> {
  const wrong = (Object.keys(bad) as (keyof QuotaText)[]).filter((part) => !isPart(part, text[part]));
  return Object.fromEntries(wrong.map((part) => [part, t(bad[part])]));
}
