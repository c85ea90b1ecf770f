import type { ReactNode } from 'react';
import { readFiles, readSpeech, writeFiles, writeSpeech } from '../../core/flowconfig';
import { t } from '../../i18n';
import { Banner, Checkbox, Field, Select } from '../../ui';
import css from './FlowSettings.module.css';
import { isComplete, ProviderForm } from './ProviderForm';
import { otherSpeech, speechProviders } from './providers';
import { SettingSection } from './SettingSection';
import { useSection, type SectionProps } from './useSection';

export function Files(props: SectionProps): ReactNode {
  return (
    <>
      <Uploads {...props} />
      <Speech {...props} />
    </>
  );
}

/** What people may attach, with the ending they know it by. */
const types: readonly [string, string][] = [
  ['application/pdf', 'PDF'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'Word (.docx)'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'Excel (.xlsx)'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'PowerPoint (.pptx)'],
  ['text/plain', '.txt'],
  ['text/markdown', 'Markdown (.md)'],
  ['text/csv', 'CSV'],
  ['application/json', 'JSON'],
  ['text/html', 'HTML'],
  ['application/xml', 'XML'],
  ['application/x-yaml', 'YAML'],
  ['application/sql', 'SQL'],
  ['text/css', 'CSS'],
];

function Uploads({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => readFiles(one.chatbotConfig),
    (now, value) => ({ chatbotConfig: writeFiles(now.chatbotConfig, value) }),
  );
  const { on, types: chosen, pdf } = form.value;
  const toggle = (mime: string, add: boolean): void =>
    form.set({ types: add ? [...chosen, mime] : chosen.filter((one) => one !== mime) });
  const other = chosen.filter((mime) => !types.some(([known]) => known === mime));
  return (
    <SettingSection
      title={t('flowsettings.uploads')}
      description={t('flowsettings.uploadsText')}
      state={form}
      mayEdit={mayEdit}
    >
      <Checkbox
        checked={on}
        onChange={(next) => form.set({ on: next })}
        label={t('flowsettings.uploadsOn')}
        disabled={!mayEdit}
      />
      {on && (
        <>
          <div className={css.choices} role="group" aria-label={t('flowsettings.uploadTypes')}>
            {types.map(([mime, label]) => (
              <Checkbox
                key={mime}
                checked={chosen.includes(mime)}
                onChange={(add) => toggle(mime, add)}
                label={label}
              />
            ))}
            {other.map((mime) => (
              <Checkbox key={mime} checked onChange={(add) => toggle(mime, add)} label={mime} />
            ))}
          </div>
          {chosen.length === 0 && <p className={css.note}>{t('flowsettings.uploadsAll')}</p>}
          <Field label={t('flowsettings.pdf')}>
            <Select
              value={pdf}
              onChange={(next) => form.set({ pdf: next })}
              options={[
                { value: 'perPage', label: t('flowsettings.perPage') },
                { value: 'perFile', label: t('flowsettings.perFile') },
              ]}
            />
          </Field>
        </>
      )}
    </SettingSection>
  );
}

function Speech({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => readSpeech(one.speechToText),
    (now, value) => ({ speechToText: writeSpeech(now.speechToText, value) }),
  );
  const { provider: name } = form.value;
  const provider = speechProviders.find((one) => one.name === name);
  const other = otherSpeech[name];
  return (
    <SettingSection
      title={t('flowsettings.speech')}
      description={t('flowsettings.speechText')}
      state={form}
      valid={!provider || isComplete(provider, form.value)}
      mayEdit={mayEdit}
    >
      <Field label={t('flowsettings.provider')}>
        <Select
          value={name}
          onChange={(next) => form.set({ provider: next, on: next !== '' })}
          options={[
            { value: '', label: t('flowsettings.speechOff') },
            ...speechProviders.map((one) => ({ value: one.name, label: one.label })),
            ...(other ? [{ value: name, label: other }] : []),
          ]}
        />
      </Field>
      {other && <Banner tone="warning">{t('flowsettings.speechOther', { name: other })}</Banner>}
      {provider && (
        <ProviderForm
          provider={provider}
          value={form.value}
          onChange={(settings) => form.set({ settings })}
        />
      )}
    </SettingSection>
  );
}
