import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useKeyNames, useSaveSettings } from '../../api/flowsettings';
import { serviceAddress } from '../../core/base';
import {
  isCount,
  isOrigin,
  readDomains,
  readNamedSessions,
  readRate,
  writeDomains,
  writeNamedSessions,
  writeRate,
} from '../../core/flowconfig';
import { t } from '../../i18n';
import { Banner, Checkbox, CopyButton, Field, Input, Section, Select, Switch, TextArea } from '../../ui';
import { BudgetSection } from './BudgetSection';
import css from './FlowSettings.module.css';
import { RefusedOrigins } from './RefusedOrigins';
import { SettingSection } from './SettingSection';
import { TextList } from './TextList';
import { useSection, type SectionProps } from './useSection';

export function Access(props: SectionProps): ReactNode {
  return (
    <>
      <KeyBinding {...props} />
      <SharedLink {...props} />
      <AllowedDomains {...props} />
      <RateLimitForm {...props} />
      <BudgetSection {...props} />
    </>
  );
}

function KeyBinding({ flow, mayEdit }: SectionProps): ReactNode {
  const keys = useKeyNames();
  const form = useSection(
    flow,
    (one) => ({ id: one.apikeyid ?? '', named: readNamedSessions(one.apiConfig) }),
    (now, { id, named }) => ({
      apikeyid: id || null,
      ...(named === readNamedSessions(now.apiConfig)
        ? {}
        : { apiConfig: writeNamedSessions(now.apiConfig, named) }),
    }),
  );
  const known = keys.data ?? [];
  const bound = flow.apikeyid;
  const options = [
    { value: '', label: t('flowsettings.noKey'), description: t('flowsettings.noKeyHelp') },
    ...known.map((key) => ({ value: key.id, label: key.keyName, description: key.apiKey })),
    ...(bound && !known.some((key) => key.id === bound)
      ? [{ value: bound, label: t('flowsettings.otherKey') }]
      : []),
  ];
  return (
    <SettingSection
      title={t('flowsettings.key')}
      description={t('flowsettings.keyText')}
      state={form}
      mayEdit={mayEdit}
    >
      <Field
        label={t('flowsettings.keyField')}
        help={
          keys.data === null ? (
            t('flowsettings.noKeyRight')
          ) : (
            <Link href="/api-keys">{t('flowsettings.manageKeys')}</Link>
          )
        }
        error={keys.error?.message}
      >
        <Select
          value={form.value.id}
          onChange={(id) => form.set({ id })}
          options={options}
          disabled={!mayEdit || keys.isPending}
        />
      </Field>
      {form.value.id && (
        <Checkbox
          checked={form.value.named}
          onChange={(named) => form.set({ named })}
          label={t('flowsettings.namedSessions')}
          help={t('flowsettings.namedSessionsHelp')}
          disabled={!mayEdit}
        />
      )}
    </SettingSection>
  );
}

function SharedLink({ flow, mayEdit }: SectionProps): ReactNode {
  const saving = useSaveSettings(flow.id);
  const on = saving.isPending ? !flow.isPublic : Boolean(flow.isPublic);
  const link = `${serviceAddress()}/chat/${flow.id}`;
  return (
    <Section title={t('flowsettings.share')} description={t('flowsettings.shareText')}>
      <Switch
        checked={on}
        onChange={(isPublic) => saving.mutate(() => ({ isPublic }))}
        label={t('flowsettings.shareSwitch')}
        help={t(on ? 'flowsettings.shareOn' : 'flowsettings.shareOff')}
        disabled={!mayEdit}
      />
      {saving.error && (
        <Banner tone="danger" title={t('flowsettings.notSaved')}>
          {saving.error.message}
        </Banner>
      )}
      <div className={css.link}>
        <code>{link}</code>
        <CopyButton text={link} label={t('flowsettings.copyLink')} />
      </div>
    </Section>
  );
}

function AllowedDomains({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => readDomains(one.chatbotConfig),
    (now, value) => ({ chatbotConfig: writeDomains(now.chatbotConfig, value) }),
  );
  const { list, message } = form.value;
  return (
    <SettingSection
      title={t('flowsettings.domains')}
      description={t('flowsettings.domainsText')}
      state={form}
      valid={list.every((one) => one.trim() === '' || isOrigin(one))}
      mayEdit={mayEdit}
    >
      <TextList
        values={list}
        onChange={(next) => form.set({ list: next })}
        label={(number) => t('flowsettings.domain', { number })}
        add={t('flowsettings.addDomain')}
        placeholder="https://shop.example"
        errorOf={(one) => (isOrigin(one) ? null : t('flowsettings.domainBad'))}
      />
      <Field label={t('flowsettings.domainsMessage')} help={t('flowsettings.domainsMessageHelp')} optional>
        <Input value={message} onChange={(event) => form.set({ message: event.target.value })} />
      </Field>
      <RefusedOrigins
        flow={flow}
        mayEdit={mayEdit}
        onListed={(origin) => form.dirty && form.set({ list: [...list, origin] })}
      />
    </SettingSection>
  );
}

function RateLimitForm({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => readRate(one.apiConfig),
    (now, value) => ({ apiConfig: writeRate(now.apiConfig, value) }),
  );
  const { on, max, seconds, message } = form.value;
  const wrong = (value: string): string | null =>
    on && form.dirty && !isCount(value) ? t('flowsettings.count') : null;
  return (
    <SettingSection
      title={t('flowsettings.rate')}
      description={t('flowsettings.rateText')}
      state={form}
      valid={!on || (isCount(max) && isCount(seconds))}
      mayEdit={mayEdit}
    >
      <Checkbox
        checked={on}
        onChange={(next) => form.set({ on: next })}
        label={t('flowsettings.rateOn')}
        disabled={!mayEdit}
      />
      {on && (
        <>
          <div className={css.pair}>
            <Field label={t('flowsettings.rateMax')} error={wrong(max)} required>
              <Input
                inputMode="numeric"
                value={max}
                onChange={(event) => form.set({ max: event.target.value })}
              />
            </Field>
            <Field label={t('flowsettings.rateSeconds')} error={wrong(seconds)} required>
              <Input
                inputMode="numeric"
                value={seconds}
                onChange={(event) => form.set({ seconds: event.target.value })}
              />
            </Field>
          </div>
          <Field label={t('flowsettings.rateMessage')} optional>
            <TextArea
              rows={2}
              value={message}
              placeholder={t('flowsettings.rateMessageHint')}
              onChange={(event) => form.set({ message: event.target.value })}
            />
          </Field>
        </>
      )}
    </SettingSection>
  );
}
