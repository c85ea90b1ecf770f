import type { ReactNode } from 'react';
import { useSaveSettings } from '../../api/flowsettings';
import {
  readFeedback,
  readLeads,
  readLook,
  readStarters,
  writeFeedback,
  writeLeads,
  writeLook,
  writeStarters,
} from '../../core/flowconfig';
import { t } from '../../i18n';
import { Banner, Checkbox, Field, Input, Section, Switch, TextArea } from '../../ui';
import css from './FlowSettings.module.css';
import { FollowUps } from './FollowUps';
import { SettingSection } from './SettingSection';
import { TextList } from './TextList';
import { useSection, type SectionProps } from './useSection';

export function Chat(props: SectionProps): ReactNode {
  return (
    <>
      <Look {...props} />
      <Starters {...props} />
      <FollowUps {...props} />
      <Feedback {...props} />
      <LeadsForm {...props} />
    </>
  );
}

function Look({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => readLook(one.chatbotConfig),
    (now, value) => ({ chatbotConfig: writeLook(now.chatbotConfig, value) }),
  );
  const { title, picture, answerPicture, welcome, failure } = form.value;
  const bad = (value: string): string | null =>
    value.trim() === '' || /^(https?:\/\/|\/|data:image\/)/i.test(value.trim())
      ? null
      : t('flowsettings.pictureBad');
  return (
    <SettingSection
      title={t('flowsettings.look')}
      description={t('flowsettings.lookText')}
      state={form}
      valid={!bad(picture) && !bad(answerPicture)}
      mayEdit={mayEdit}
    >
      <Field label={t('flowsettings.chatTitle')} optional>
        <Input
          value={title}
          placeholder={flow.name}
          onChange={(event) => form.set({ title: event.target.value })}
        />
      </Field>
      <div className={css.pair}>
        <Field label={t('flowsettings.picture')} error={bad(picture)} optional>
          <Input
            type="url"
            value={picture}
            placeholder="https://"
            onChange={(event) => form.set({ picture: event.target.value })}
          />
        </Field>
        <Field label={t('flowsettings.answerPicture')} error={bad(answerPicture)} optional>
          <Input
            type="url"
            value={answerPicture}
            placeholder="https://"
            onChange={(event) => form.set({ answerPicture: event.target.value })}
          />
        </Field>
      </div>
      <Field label={t('flowsettings.welcome')} optional>
        <TextArea rows={2} value={welcome} onChange={(event) => form.set({ welcome: event.target.value })} />
      </Field>
      <Field label={t('flowsettings.failure')} help={t('flowsettings.failureHelp')} optional>
        <TextArea rows={2} value={failure} onChange={(event) => form.set({ failure: event.target.value })} />
      </Field>
    </SettingSection>
  );
}

function Starters({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => ({ list: readStarters(one.chatbotConfig) }),
    (now, { list }) => ({ chatbotConfig: writeStarters(now.chatbotConfig, list) }),
  );
  return (
    <SettingSection
      title={t('flowsettings.starters')}
      description={t('flowsettings.startersText')}
      state={form}
      mayEdit={mayEdit}
    >
      <TextList
        values={form.value.list}
        onChange={(list) => form.set({ list })}
        label={(number) => t('flowsettings.starter', { number })}
        add={t('flowsettings.addStarter')}
      />
    </SettingSection>
  );
}

function Feedback({ flow, mayEdit }: SectionProps): ReactNode {
  const saving = useSaveSettings(flow.id);
  const stored = readFeedback(flow.chatbotConfig);
  return (
    <Section title={t('flowsettings.feedback')} description={t('flowsettings.feedbackText')}>
      <Switch
        checked={saving.isPending ? !stored : stored}
        onChange={(on) => saving.mutate((now) => ({ chatbotConfig: writeFeedback(now.chatbotConfig, on) }))}
        label={t('flowsettings.feedbackOn')}
        disabled={!mayEdit}
      />
      {saving.error && (
        <Banner tone="danger" title={t('flowsettings.notSaved')}>
          {saving.error.message}
        </Banner>
      )}
    </Section>
  );
}

function LeadsForm({ flow, mayEdit }: SectionProps): ReactNode {
  const form = useSection(
    flow,
    (one) => readLeads(one.chatbotConfig),
    (now, value) => ({ chatbotConfig: writeLeads(now.chatbotConfig, value) }),
  );
  const { on, title, done, name, email, phone } = form.value;
  const asks = name || email || phone;
  return (
    <SettingSection
      title={t('flowsettings.leads')}
      description={t('flowsettings.leadsText')}
      state={form}
      valid={!on || asks}
      mayEdit={mayEdit}
    >
      <Checkbox
        checked={on}
        onChange={(next) => form.set({ on: next })}
        label={t('flowsettings.leadsOn')}
        disabled={!mayEdit}
      />
      {on && (
        <>
          <Field label={t('flowsettings.leadsTitle')} optional>
            <TextArea rows={2} value={title} onChange={(event) => form.set({ title: event.target.value })} />
          </Field>
          <Field label={t('flowsettings.leadsDone')} optional>
            <Input value={done} onChange={(event) => form.set({ done: event.target.value })} />
          </Field>
          <div className={css.choices} role="group" aria-label={t('flowsettings.leadsAsk')}>
            <Checkbox
              checked={name}
              onChange={(next) => form.set({ name: next })}
              label={t('flowsettings.leadsName')}
            />
            <Checkbox
              checked={email}
              onChange={(next) => form.set({ email: next })}
              label={t('flowsettings.leadsEmail')}
            />
            <Checkbox
              checked={phone}
              onChange={(next) => form.set({ phone: next })}
              label={t('flowsettings.leadsPhone')}
            />
          </div>
          {!asks && (
            <p className={css.bad} role="alert">
              {t('flowsettings.leadsNone')}
            </p>
          )}
        </>
      )}
    </SettingSection>
  );
}
