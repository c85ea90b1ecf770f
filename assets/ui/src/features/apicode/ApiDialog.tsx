import { ExternalLink } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useSaveSettings } from '../../api/flowsettings';
import { useMcpServer } from '../../api/mcpServers';
import type { Flow } from '../../api/models';
import { serviceAddress } from '../../core/base';
import { MCP_TOKEN, mcpAddress, mcpConfig, toolNameOf } from '../../core/mcp';
import { t } from '../../i18n';
import { Banner, Button, CodeField, CopyButton, Dialog, Segments, Switch, Tabs, usePref } from '../../ui';
import css from './ApiDialog.module.css';
import { languages, openAi, type Language } from './openai';
import { curl, embed, embedFull, embedOther, javascript, KEY, python, type Target } from './snippets';
import './words';

export interface ApiDialogProps {
  flow: Flow;
  mayEdit: boolean;
  onClose: () => void;
}

const tabs = ['curl', 'python', 'javascript', 'openai', 'mcp', 'embed', 'link'] as const;
type Tab = (typeof tabs)[number];
/** What answers nobody is no model and no tool. */
const tabsOfPipelines = tabs.filter((tab) => tab !== 'openai' && tab !== 'mcp');

/** How to call a flow from elsewhere: code with this server's address, never with a real key. */
export default function ApiDialog({ flow, mayEdit, onClose }: ApiDialogProps): ReactNode {
  const shown = flow.type === 'ETL' ? tabsOfPipelines : tabs;
  const [tab, setTab] = usePref<Tab>('apiTab', 'curl', shown);
  const [streaming, setStreaming] = useState(false);
  const key = Boolean(flow.apikeyid);
  const target: Target = { base: serviceAddress(), id: flow.id, key, streaming };
  const empty = !/"nodes"\s*:\s*\[\s*\{/.test(flow.flowData);
  const isCode = tab === 'curl' || tab === 'python' || tab === 'javascript';
  // Those two say themselves what opens them.
  const warns = key && tab !== 'openai' && tab !== 'mcp';
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('apicode.title', { name: flow.name })}
      description={t('apicode.text')}
      size="large"
    >
      {empty && <Banner tone="warning">{t('apicode.empty')}</Banner>}
      {warns && (
        <Banner tone="warning" title={t('apicode.needsKey')}>
          {t(isCode ? 'apicode.needsKeyCode' : 'apicode.needsKeyPage', { key: KEY })}{' '}
          <Link href={`/flows/${flow.id}/settings?section=access`} onClick={onClose}>
            {t('apicode.toAccess')}
          </Link>
        </Banner>
      )}
      <Tabs<Tab>
        value={tab}
        onChange={setTab}
        label={t('apicode.ways')}
        tabs={shown.map((value) => ({ value, label: t(`apicode.tab.${value}`) }))}
        panelClassName={css.panel}
      >
        {isCode && (
          <>
            <div className={css.choice}>
              <AnswerChoice streaming={streaming} onChange={setStreaming} />
              <span className={css.note}>{t(`apicode.note.${tab}`)}</span>
            </div>
            {tab === 'curl' && <Code code={curl(target)} label="cURL" />}
            {tab === 'python' && <Code code={python(target)} label="Python" />}
            {tab === 'javascript' && <Code code={javascript(target)} label="JavaScript" highlight />}
          </>
        )}
        {tab === 'openai' && <OpenAi target={target} onStreaming={setStreaming} onClose={onClose} />}
        {tab === 'mcp' && <McpTool flow={flow} mayEdit={mayEdit} onClose={onClose} />}
        {tab === 'embed' && <Embed target={target} />}
        {tab === 'link' && <SharedLink flow={flow} mayEdit={mayEdit} />}
      </Tabs>
    </Dialog>
  );
}

interface AnswerChoiceProps {
  streaming: boolean;
  onChange: (streaming: boolean) => void;
}

function AnswerChoice({ streaming, onChange }: AnswerChoiceProps): ReactNode {
  return (
    <Segments
      value={streaming ? 'stream' : 'whole'}
      onChange={(next) => onChange(next === 'stream')}
      label={t('apicode.answer')}
      options={[
        { value: 'whole', label: t('apicode.whole') },
        { value: 'stream', label: t('apicode.stream') },
      ]}
    />
  );
}

interface OpenAiProps {
  target: Target;
  onStreaming: (streaming: boolean) => void;
  onClose: () => void;
}

/** Code for programs that know OpenAI's protocol: the flow is the model. */
function OpenAi({ target, onStreaming, onClose }: OpenAiProps): ReactNode {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <>
      <Banner title={t('apicode.openaiKey')}>
        {t('apicode.needsKeyCode', { key: KEY })}{' '}
        <Link href="/api-keys" onClick={onClose}>
          {t('apicode.toKeys')}
        </Link>
      </Banner>
      <div className={css.choice}>
        <Segments
          value={language}
          onChange={setLanguage}
          label={t('apicode.language')}
          options={languages.map((value) => ({ value, label: t(`apicode.tab.${value}`) }))}
        />
        <AnswerChoice streaming={target.streaming} onChange={onStreaming} />
        <span className={css.note}>{t(`apicode.openai.${language}`)}</span>
      </div>
      <Code
        code={openAi[language](target)}
        label={t(`apicode.tab.${language}`)}
        highlight={language === 'javascript'}
      />
    </>
  );
}

/** How a program is told of the flow as a tool. Its token is made among the settings, and shown there alone. */
function McpTool({ flow, mayEdit, onClose }: ApiDialogProps): ReactNode {
  const server = useMcpServer(flow.id, mayEdit).data;
  const name = server?.toolName || toolNameOf(flow.name);
  return (
    <>
      {server && !server.enabled && (
        <Banner tone="warning">{t(server.toolName ? 'apicode.mcpOff' : 'apicode.mcpNone')}</Banner>
      )}
      <p className={css.note}>
        {t('apicode.mcpText', { token: MCP_TOKEN })}{' '}
        <Link href={`/flows/${flow.id}/settings?section=mcp`} onClick={onClose}>
          {t('apicode.toMcp')}
        </Link>
      </p>
      <Code code={mcpConfig('most', name, mcpAddress(serviceAddress(), flow.id), MCP_TOKEN)} label="JSON" />
    </>
  );
}

function Code({ code, label, highlight }: { code: string; label: string; highlight?: boolean }): ReactNode {
  return (
    <div className={css.code}>
      <CodeField
        // Another text is another editor: this one only shows.
        key={code}
        value={code}
        readOnly
        aria-label={t('apicode.codeIn', { language: label })}
        language={highlight ? 'javascript' : 'text'}
        minLines={3}
        maxLines={26}
      />
      <div className={css.copy}>
        <CopyButton text={code} label={t('apicode.copy', { language: label })} />
      </div>
    </div>
  );
}

function Embed({ target }: { target: Target }): ReactNode {
  const [kind, setKind] = useState<'bubble' | 'full' | 'other'>('bubble');
  const code = kind === 'bubble' ? embed(target) : kind === 'full' ? embedFull(target) : embedOther(target);
  return (
    <>
      <div className={css.choice}>
        <Segments
          value={kind}
          onChange={setKind}
          label={t('apicode.embedKind')}
          options={[
            { value: 'bubble', label: t('apicode.bubble') },
            { value: 'full', label: t('apicode.full') },
            { value: 'other', label: t('apicode.other') },
          ]}
        />
      </div>
      <Code code={code} label="HTML" />
      <p className={css.note}>{t(kind === 'other' ? 'apicode.otherText' : 'apicode.embedText')}</p>
      <p className={css.note}>
        <Link href={`/flows/${target.id}/settings?section=access`}>{t('apicode.domains')}</Link>
      </p>
    </>
  );
}

function SharedLink({ flow, mayEdit }: { flow: Flow; mayEdit: boolean }): ReactNode {
  const saving = useSaveSettings(flow.id);
  const link = `${serviceAddress()}/chat/${flow.id}`;
  const on = saving.isPending ? !flow.isPublic : Boolean(flow.isPublic);
  return (
    <>
      <Switch
        checked={on}
        onChange={(isPublic) => saving.mutate(() => ({ isPublic }))}
        label={t('apicode.shareSwitch')}
        help={t(on ? 'apicode.shareOn' : 'apicode.shareOff')}
        disabled={!mayEdit}
      />
      {saving.error && <Banner tone="danger">{saving.error.message}</Banner>}
      <div className={css.link}>
        <code>{link}</code>
        <CopyButton text={link} label={t('apicode.copyLink')} />
        <Button size="compact" variant="ghost" icon={ExternalLink} asChild>
          <a href={link} target="_blank" rel="noopener noreferrer">
            {t('apicode.open')}
          </a>
        </Button>
      </div>
    </>
  );
}
