import type { ReactNode } from 'react';
import { useChangeApiKey, useCreateApiKey, usePermissions, type ApiKey } from '../../api/apiKeys';
import { useCan } from '../../api/me';
import { t } from '../../i18n';
import { budgetOf, isLimit, textOfBudget } from '../../core/budget';
import { Field, FormDialog, Input, Loaded, PermissionGrid, toast, useForm } from '../../ui';
import { BudgetFieldset } from '../../ui/BudgetFields';

/** Beside which field a refusal belongs, by what it speaks of. */
const places: readonly [RegExp, 'permissions' | 'questions' | 'tokens' | 'keyName'][] = [
  [/questionsPerDay/, 'questions'],
  [/tokensPerDay|budget/, 'tokens'],
  [/permission/i, 'permissions'],
  [/name/i, 'keyName'],
];

export interface KeyFormProps {
  /** The one that is changed; none for a new one. */
  apiKey: ApiKey | null;
  onClose: () => void;
  onMade: (key: ApiKey) => void;
}

/** Name and permissions of a key, in a panel. */
export function KeyForm({ apiKey, onClose, onMade }: KeyFormProps): ReactNode {
  const can = useCan();
  const catalogue = usePermissions('API_KEY');
  const create = useCreateApiKey();
  const change = useChangeApiKey();
  const form = useForm(
    {
      keyName: apiKey?.keyName ?? '',
      permissions: apiKey?.permissions ?? [],
      ...textOfBudget(apiKey?.budget),
    },
    {
      check: ({ keyName, permissions, questions, tokens }) => ({
        // What is wrong with a limit is told as it is typed.
        ...(isLimit(questions) ? {} : { questions: t('budget.bad') }),
        ...(isLimit(tokens) ? {} : { tokens: t('budget.bad') }),
        ...(keyName.trim() ? {} : { keyName: t('kit.needed') }),
        ...(permissions.length ? {} : { permissions: t('permissions.choose') }),
      }),
      send: async ({ keyName, permissions, ...budget }) => {
        const body = { keyName: keyName.trim(), permissions, budget: budgetOf(budget) };
        if (apiKey) {
          await change.mutateAsync({ id: apiKey.id, body });
          toast(t('apiKeys.saved', { name: body.keyName }));
          onClose();
        } else {
          onMade(await create.mutateAsync(body));
        }
      },
      place: (error) => places.find(([words]) => words.test(error.message))?.[1] ?? 'form',
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t(apiKey ? 'apiKeys.editTitle' : 'apiKeys.new')}
      action={t(apiKey ? 'kit.save' : 'apiKeys.create')}
      drawer={760}
    >
      <Field label={t('kit.name')} error={form.errors.keyName} help={t('apiKeys.nameHelp')}>
        <Input
          autoFocus
          maxLength={100}
          value={form.values.keyName}
          onChange={(event) => form.set('keyName', event.target.value)}
        />
      </Field>
      <BudgetFieldset
        form={form}
        text={t('budget.ofKey')}
        used={apiKey?.usedToday}
        to={apiKey ? `/usage?key=${apiKey.id}` : '/usage'}
      />
      <Loaded query={catalogue}>
        {(all) => (
          <PermissionGrid
            catalogue={all}
            value={form.values.permissions}
            onChange={(permissions) => form.set('permissions', permissions)}
            may={(name) => can(name)}
            error={form.errors.permissions}
          />
        )}
      </Loaded>
    </FormDialog>
  );
}
