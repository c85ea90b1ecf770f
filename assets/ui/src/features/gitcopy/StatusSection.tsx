import {
  CircleCheck,
  Clock3,
  CloudUpload,
  ExternalLink,
  GitBranch,
  OctagonX,
  PowerOff,
  RefreshCw,
  RotateCw,
  Unplug,
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useCopyNow, type CopyState, type CopyStatus } from '../../api/gitcopy';
import { serviceNow } from '../../core/clock';
import { duration } from '../../core/format';
import { t } from '../../i18n';
import { Banner, Button, cx, RelativeTime, Section, useCountdown } from '../../ui';
import { isPage, secondsUntil, toldOf, type Action } from './copyState';
import css from './GitCopy.module.css';

const looks: Record<CopyState, { icon: LucideIcon; tone: string | undefined }> = {
  off: { icon: PowerOff, tone: undefined },
  'not-connected': { icon: Unplug, tone: undefined },
  'up-to-date': { icon: CircleCheck, tone: css.good },
  waiting: { icon: Clock3, tone: css.busy },
  copying: { icon: CloudUpload, tone: css.busy },
  retrying: { icon: RefreshCw, tone: css.uneasy },
  stopped: { icon: OctagonX, tone: css.bad },
};

export interface StatusSectionProps {
  status: CopyStatus;
  onConnect: () => void;
  onDisconnect: () => void;
}

/** Where the copy stands: one sentence, what to do next, and the facts behind it. */
export function StatusSection({ status, onConnect, onDisconnect }: StatusSectionProps): ReactNode {
  const copy = useCopyNow();
  const { state, role, host, message, connected } = status;
  const { icon: Icon, tone } = looks[state];
  const told = toldOf(status);
  const reads = role === 'read';
  const act = (action: Action): void => {
    copy.reset();
    if (action === 'connect' || action === 'reconnect') onConnect();
    else copy.mutate();
  };
  const words: Record<Action, string> = {
    connect: t('gitcopy.connectRepository'),
    copy: t(reads ? 'gitcopy.readNow' : 'gitcopy.copyNow'),
    again: t('gitcopy.tryAgain'),
    reconnect: t('gitcopy.connectAgain'),
  };
  const mended = state === 'retrying' || state === 'stopped';
  return (
    <Section title={t('gitcopy.repository')}>
      <div className={cx(css.state, tone)}>
        <span className={css.sign}>
          <Icon size={18} aria-hidden />
        </span>
        <div className={css.words}>
          {/* Here from the start, so that what it becomes is read aloud. */}
          <p className={css.title} role="status">
            <span className="sr-only">{t('gitcopy.state')}: </span>
            {t(told.title)}
          </p>
          {message !== null && mended && <p className={css.message}>{message}</p>}
          <p className={message !== null && mended ? 'muted' : undefined}>
            {t(told.text, { host, ...(told.count === null ? {} : { count: told.count }) })}
          </p>
          {state === 'off' && <p className="muted">{t('gitcopy.state.offNext')}</p>}
        </div>
      </div>
      {connected && <Facts status={status} />}
      {copy.error && <Banner tone="danger" title={copy.error.message} />}
      {(told.action !== null || connected) && (
        <div className={css.actions}>
          {told.action !== null && (
            <Button
              variant={told.action === 'copy' ? 'default' : 'primary'}
              icon={told.action === 'connect' ? GitBranch : RotateCw}
              busy={copy.isPending || state === 'copying'}
              onClick={() => told.action && act(told.action)}
            >
              {words[told.action]}
            </Button>
          )}
          {mended && <Button onClick={() => act('reconnect')}>{words.reconnect}</Button>}
          {connected && (
            <Button variant="ghost" icon={Unplug} className={css.end} onClick={onDisconnect}>
              {t('gitcopy.disconnect')}
            </Button>
          )}
        </div>
      )}
    </Section>
  );
}

function Facts({ status }: { status: CopyStatus }): ReactNode {
  const { repo, url, credential, role, waiting, lastCopiedAt, lastCopiedVersion, nextTryAt } = status;
  const { connectedAt, lastCheckedAt, incomingVersion } = status;
  const never = <span className="muted">{t('gitcopy.notYet')}</span>;
  return (
    <dl className={css.facts} aria-label={t('gitcopy.facts')}>
      <Fact name={t('gitcopy.repository')}>
        {isPage(url) ? (
          <a href={url} target="_blank" rel="noopener" className={css.out}>
            {repo} <ExternalLink size={13} aria-hidden />
          </a>
        ) : (
          repo
        )}
      </Fact>
      {nextTryAt && (
        <Fact name={t('gitcopy.nextTry')}>
          <NextTry key={nextTryAt} date={nextTryAt} />
        </Fact>
      )}
      {role === 'copy' ? (
        <>
          <Fact name={t('gitcopy.waiting')}>
            {waiting === null ? t('gitcopy.waitingUnknown') : t('gitcopy.waitingCount', { count: waiting })}
          </Fact>
          <Fact name={t('gitcopy.lastCopied')}>
            {lastCopiedAt ? (
              <>
                <RelativeTime date={lastCopiedAt} /> {lastCopiedVersion && <code>{lastCopiedVersion}</code>}
              </>
            ) : (
              never
            )}
          </Fact>
        </>
      ) : (
        <>
          <Fact name={t('gitcopy.lastRead')}>
            {lastCheckedAt ? <RelativeTime date={lastCheckedAt} /> : never}
          </Fact>
          <Fact name={t('gitcopy.incoming')}>
            {incomingVersion ? (
              <>
                <code>{incomingVersion}</code> <Link href="/promote">{t('gitcopy.see')}</Link>
              </>
            ) : (
              never
            )}
          </Fact>
        </>
      )}
      {credential && <Fact name={t('gitcopy.credential')}>{credential.name}</Fact>}
      {connectedAt && (
        <Fact name={t('gitcopy.connectedSince')}>
          <RelativeTime date={connectedAt} />
        </Fact>
      )}
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }): ReactNode => (
  <div className={css.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Counts down to the next try. */
function NextTry({ date }: { date: string }): ReactNode {
  const [seconds] = useState(() => secondsUntil(date, serviceNow()));
  const left = useCountdown(seconds);
  return (
    <time dateTime={date} className={css.counting}>
      {left > 0 ? t('gitcopy.nextTryIn', { time: duration(left * 1000) }) : t('gitcopy.nextTrySoon')}
    </time>
  );
}
