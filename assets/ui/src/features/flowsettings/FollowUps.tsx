import type { ReactNode } from 'react';
import { readFollowUps, writeFollowUps } from '../../core/flowconfig';
import { t } from '../../i18n';
import { Checkbox, Field, Select } from '../../ui';
import { isComplete, ProviderForm } from './ProviderForm';
import { followUpProviders } from './providers';
import { SettingSection } from './SettingSection';
import { useSection, type SectionProps } from './useSection';

export function FollowUps({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(flow, (one) => readFollowUps(one.followUpPrompts), writeFollowUps);
  const { on, provider: name } = form.value;
  const provider = followUpProviders.find((one) => one.name === name);
  return (
    <SettingSection
      title={t('flowsettings.followUps')}
      description={t('flowsettings.followUpsText')}
      state={form}
      valid={!on || isComplete(provider, form.value)}
      mayEdit={mayEdit}
    >
      <Checkbox
        checked={on}
        onChange={(next) => form.set({ on: next })}
        label={t('flowsettings.followUpsOn')}
        disabled={!mayEdit}
      />
      {on && (
        <Field label={t('flowsettings.provider')} required>
          <Select
            value={name}
            onChange={(next) => form.set({ provider: next })}
            options={followUpProviders.map((one) => ({ value: one.name, label: one.label }))}
            placeholder={t('kit.choose')}
          />
        </Field>
      )}
      {on && provider && (
        <ProviderForm
          provider={provider}
          value={form.value}
          onChange={(settings) => form.set({ settings })}
          promptHelp={t('flowsettings.followUpsPrompt', { answer: '{history}' })}
        />
      )}
    </SettingSection>
  );
}
