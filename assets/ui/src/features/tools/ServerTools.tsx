import { PlugZap } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useAuthorizeToolServer, useOfferedTools, type ToolServer } from '../../api/toolServers';
import { t } from '../../i18n';
import { Banner, Button, Dialog, Loaded, scrollRegion, Spinner } from '../../ui';
import css from './Tools.module.css';

export interface ServerToolsProps {
  server: ToolServer;
  /** Why this person cannot ask it. */
  lacking: string | null;
  /** It is asked at once. */
  asks: boolean;
  onClose: () => void;
}

/** What a server of tools offers: it is asked, and says which tools it has, or why it lists none. */
export function ServerTools({ server, lacking, asks, onClose }: ServerToolsProps): ReactNode {
  const authorize = useAuthorizeToolServer();
  const { mutate } = authorize;
  const asked = useRef(!asks);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    mutate(server.id);
  }, [mutate, server.id]);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('toolServers.toolsOf', { name: server.name })}
      description={server.serverUrl}
      footer={
        <>
          <Button onClick={onClose}>{t('kit.close')}</Button>
          {lacking === null ? (
            <Button
              variant={server.status === 'AUTHORIZED' ? 'default' : 'primary'}
              icon={PlugZap}
              busy={authorize.isPending}
              onClick={() => mutate(server.id)}
            >
              {t(server.status === 'PENDING' ? 'toolServers.connect' : 'toolServers.askAgain')}
            </Button>
          ) : null}
        </>
      }
    >
      <div className={css.offered} aria-live="polite">
        {authorize.isPending ? (
          <p className={css.asking}>
            <Spinner /> {t('toolServers.asking')}
          </p>
        ) : authorize.error ? (
          <Banner tone="danger" title={t('toolServers.refused')}>
            {authorize.error.message}
          </Banner>
        ) : server.status === 'AUTHORIZED' ? (
          <Offered server={server} />
        ) : (
          <p>
            {t(server.status === 'ERROR' ? 'toolServers.refusedBefore' : 'toolServers.notAsked')}
            {lacking !== null && ` ${t('kit.needs', { permission: lacking })}.`}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function Offered({ server }: { server: ToolServer }): ReactNode {
  return (
    <Loaded query={useOfferedTools(server)}>
      {(tools) =>
        tools.length === 0 ? (
          <p>{t('toolServers.offersNone')}</p>
        ) : (
          <>
            <p className="muted">{t('toolServers.offers', { count: tools.length })}</p>
            <ul ref={scrollRegion} className={css.list}>
              {tools.map(({ name, description }) => (
                <li key={name}>
                  <code>{name}</code>
                  {description && <p className={css.about}>{description}</p>}
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}
