import { useState, type ReactNode } from 'react';
import {
  useChangeMcpServer,
  useCreateMcpServer,
  useDeleteMcpServer,
  useMcpServer,
  useNewMcpToken,
  type McpServer,
} from '../../../api/mcpServers';
import type { Flow } from '../../../api/models';
import { serviceAddress } from '../../../core/base';
import { MCP_TOKEN, mcpAddress, mcpClients, mcpConfig, type McpClient } from '../../../core/mcp';
import {
  Banner,
  Button,
  ConfirmDialog,
  CopyButton,
  Loaded,
  OnceDialog,
  Section,
  Segments,
  Switch,
} from '../../../ui';
import { Snippet } from '../../../ui/Snippet';
import css from '../FlowSettings.module.css';
import { ToolWordsForm } from './ToolWordsForm';
import { t } from './words';

export interface McpSectionProps {
  flow: Flow;
  mayEdit: boolean;
  /** Whether anything is Live that could be asked. */
  isLive: boolean;
}

/** A flow as a tool of MCP: whether it is one, its words, its token, and how a program is told of it. */
export default function McpSection({ flow, mayEdit, isLive }: McpSectionProps): ReactNode {
  const server = useMcpServer(flow.id);
  return (
    <Loaded query={server}>
      {(data) => <Tool flow={flow} server={data} mayEdit={mayEdit} isLive={isLive} />}
    </Loaded>
  );
}

function Tool({ flow, server, mayEdit, isLive }: McpSectionProps & { server: McpServer }): ReactNode {
  const made = useCreateMcpServer(flow.id);
  const changed = useChangeMcpServer(flow.id);
  const renewed = useNewMcpToken(flow.id);
  // The token is in the answer that made it and nowhere else.
  const fresh = made.data ?? renewed.data;
  const isTool = server.toolName !== '';
  return (
    <>
      {isTool && <Offer flow={flow} server={server} mayEdit={mayEdit} isLive={isLive} />}
      <ToolWordsForm
        flow={flow}
        server={server}
        mayEdit={mayEdit}
        sending={isTool ? changed : made}
        isLive={isLive}
      />
      {isTool && mayEdit && <Token flow={flow} server={server} renewed={renewed} />}
      {fresh && (
        <OnceDialog
          title={t('mcp.tokenTitle')}
          text={t('mcp.tokenText')}
          label={t('mcp.token')}
          value={fresh.token}
          copy={t('mcp.copyToken')}
          stored={t('mcp.stored')}
          onDone={() => {
            made.reset();
            renewed.reset();
          }}
        >
          <Config flow={flow} name={fresh.toolName} token={fresh.token} />
        </OnceDialog>
      )}
    </>
  );
}

/** Whether it is on, and where programs find it. */
function Offer({ flow, server, mayEdit, isLive }: McpSectionProps & { server: McpServer }): ReactNode {
  const saving = useChangeMcpServer(flow.id);
  const on = (saving.isPending ? saving.variables.enabled : null) ?? server.enabled;
  const address = mcpAddress(serviceAddress(), flow.id);
  return (
    <Section title={t('mcp.title')} description={t('mcp.text')}>
      {!isLive && <Banner tone="warning">{t('mcp.notLive')}</Banner>}
      <Switch
        checked={on}
        onChange={(enabled) => saving.mutate({ enabled })}
        label={t('mcp.switch')}
        // What programs get changes once the service has said so.
        help={t(server.enabled ? 'mcp.on' : 'mcp.off')}
        disabled={!mayEdit || saving.isPending}
      />
      {saving.error && <Banner tone="danger">{saving.error.message}</Banner>}
      <p className={css.note}>{t('mcp.addressText')}</p>
      <div className={css.link} role="group" aria-label={t('mcp.address')}>
        <code>{address}</code>
        <CopyButton text={address} label={t('mcp.copyAddress')} />
      </div>
      <Config flow={flow} name={server.toolName} token={MCP_TOKEN} />
      <p className={css.note}>{t('mcp.putToken', { token: MCP_TOKEN })}</p>
    </Section>
  );
}

/** What a program's configuration says of the tool. */
function Config({ flow, name, token }: { flow: Flow; name: string; token: string }): ReactNode {
  const [client, setClient] = useState<McpClient>('most');
  return (
    <Snippet
      label={t('mcp.config')}
      text={mcpConfig(client, name, mcpAddress(serviceAddress(), flow.id), token)}
      copy={t('mcp.copyConfig')}
      aside={
        <Segments
          value={client}
          onChange={setClient}
          label={t('mcp.clients')}
          options={mcpClients.map((value) => ({ value, label: t(`mcp.${value}`) }))}
        />
      }
    />
  );
}

interface TokenProps {
  flow: Flow;
  server: McpServer;
  renewed: ReturnType<typeof useNewMcpToken>;
}

/** The token as far as it may be seen again, and what takes it away from those who have it. */
function Token({ flow, server, renewed }: TokenProps): ReactNode {
  const removed = useDeleteMcpServer(flow.id);
  const [asking, setAsking] = useState<'renew' | 'remove' | null>(null);
  const acting = asking === 'remove' ? removed : renewed;
  const question = t(asking === 'remove' ? 'mcp.remove' : 'mcp.newSure');
  const close = (): void => setAsking(null);
  return (
    <Section title={t('mcp.token')} description={t('mcp.tokenIs', { token: server.token })}>
      <div className={css.buttons}>
        <Button onClick={() => setAsking('renew')}>{t('mcp.newToken')}</Button>
        <Button variant="danger" onClick={() => setAsking('remove')}>
          {t('mcp.remove')}
        </Button>
      </div>
      <ConfirmDialog
        open={asking !== null}
        title={question}
        confirm={question}
        busy={acting.isPending}
        error={acting.error?.message ?? null}
        onClose={() => {
          removed.reset();
          renewed.reset();
          close();
        }}
        onConfirm={() => acting.mutate(undefined, { onSuccess: close })}
      >
        {t(asking === 'remove' ? 'mcp.removeText' : 'mcp.newText')}
      </ConfirmDialog>
    </Section>
  );
}
