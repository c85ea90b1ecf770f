import type { ReactNode } from 'react';
import { readCode, writeCode } from '../../core/flowconfig';
import { t } from '../../i18n';
import { Banner, Checkbox, CodeField, Field } from '../../ui';
import { SettingSection } from './SettingSection';
import { useSection, type SectionProps } from './useSection';

const completions = [
  { label: '$flow.rawOutput' },
  { label: '$flow.input' },
  { label: '$flow.chatHistory' },
  { label: '$flow.chatflowId' },
  { label: '$flow.sessionId' },
  { label: '$flow.chatId' },
  { label: '$flow.sourceDocuments' },
  { label: '$flow.usedTools' },
  { label: '$vars' },
];

export function CodeSection({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => readCode(one.chatbotConfig),
    (now, value) => ({ chatbotConfig: writeCode(now.chatbotConfig, value) }),
  );
  const { on, code } = form.value;
  return (
    <SettingSection
      title={t('flowsettings.code')}
      description={t('flowsettings.codeText')}
      state={form}
      valid={!on || code.trim() !== ''}
      mayEdit={mayEdit}
    >
      <Checkbox
        checked={on}
        onChange={(next) => form.set({ on: next })}
        label={t('flowsettings.codeOn')}
        disabled={!mayEdit}
      />
      {on && (
        <>
          <Banner>{t('flowsettings.codeStream')}</Banner>
          <Field
            label={t('flowsettings.codeField')}
            help={t('flowsettings.codeHelp')}
            error={
              code.trim() === '' && readCode(flow.chatbotConfig).code !== ''
                ? t('flowsettings.codeNeeded')
                : null
            }
          >
            <CodeField
              language="javascript"
              value={code}
              onChange={(next) => form.set({ code: next })}
              readOnly={!mayEdit}
              lineNumbers
              minLines={8}
              maxLines={24}
              placeholder="return $flow.rawOutput;"
              completions={completions}
            />
          </Field>
        </>
      )}
    </SettingSection>
  );
}
