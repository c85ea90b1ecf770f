import type { ReactNode } from 'react';
import type { ProviderSettings } from '../../core/flowconfig';
import { t } from '../../i18n';
import { Field, Input, TextArea } from '../../ui';
import { CredentialField } from './CredentialField';
import css from './FlowSettings.module.css';
import type { Provider, ProviderField } from './providers';

export interface ProviderFormProps {
  provider: Provider;
  value: ProviderSettings;
  onChange: (settings: ProviderSettings['settings']) => void;
  /** Told below the prompt. */
  promptHelp?: string;
}

/** What one provider is set to. */
export function ProviderForm({ provider, value, onChange, promptHelp }: ProviderFormProps): ReactNode {
  const settings = value.settings[provider.name] ?? {};
  const set = (name: string, text: string): void =>
    onChange({ ...value.settings, [provider.name]: { ...settings, [name]: text } });
  const short = provider.fields.filter((field) => field !== 'prompt');
  return (
    <>
      <CredentialField
        value={settings.credentialId ?? ''}
        onChange={(id) => set('credentialId', id)}
        kinds={provider.credentials}
      />
      <div className={css.pair}>
        {short.map((field) => (
          <Field
            key={field}
            label={t(`flowsettings.${field}`)}
            error={errorOf(field, settings[field] ?? '')}
            optional={field !== 'modelName' && field !== 'baseUrl'}
          >
            <Input
              value={settings[field] ?? ''}
              inputMode={field === 'temperature' ? 'decimal' : undefined}
              onChange={(event) => set(field, event.target.value)}
            />
          </Field>
        ))}
      </div>
      {provider.fields.includes('prompt') && (
        <Field label={t('flowsettings.prompt')} help={promptHelp} optional>
          <TextArea
            rows={3}
            value={settings.prompt ?? ''}
            onChange={(event) => set('prompt', event.target.value)}
          />
        </Field>
      )}
    </>
  );
}

function errorOf(field: ProviderField, value: string): string | null {
  if (field === 'temperature' && value.trim() !== '' && !isWarmth(value))
    return t('flowsettings.temperatureBad');
  return null;
}

const isWarmth = (value: string): boolean => {
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 && number <= 2;
};

/** Whether a provider's settings can be sent. */
export function isComplete(provider: Provider | undefined, value: ProviderSettings): boolean {
  if (!provider) return false;
  const settings = value.settings[provider.name] ?? {};
  const warmth = settings.temperature ?? '';
  return warmth.trim() === '' || isWarmth(warmth);
}
