import { Laptop, Smartphone } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useEndSessions, useSessions } from '../../api/me';
import type { Session } from '../../api/models';
import { t } from '../../i18n';
import {
  Badge,
  Button,
  ConfirmDialog,
  EmptyState,
  Loaded,
  RelativeTime,
  Section,
  Tile,
  toast,
} from '../../ui';
import css from './Account.module.css';

/** Where the person is signed in, and how to end it. */
export function Sessions(): ReactNode {
  const sessions = useSessions();
  const end = useEndSessions();
  const [asking, setAsking] = useState(false);
  const others = (sessions.data ?? []).some((session) => !session.current);
  const endOthers = (): void =>
    end.mutate(null, {
      onSuccess: ({ affected }) => {
        toast(t('account.othersEnded', { count: affected }));
        setAsking(false);
      },
    });
  return (
    <Section
      title={t('account.sessions')}
      description={t('account.sessionsText')}
      actions={
        others && (
          <Button size="compact" onClick={() => setAsking(true)}>
            {t('account.endOthers')}
          </Button>
        )
      }
    >
      <Loaded query={sessions}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t('account.noSessions')} />
          ) : (
            <ul className="lines">
              {list.map((session) => (
                <One key={session.id} session={session} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={endOthers}
        title={t('account.endOthersTitle')}
        confirm={t('account.endOthers')}
        busy={end.isPending}
        error={end.error?.message ?? null}
      >
        {t('account.endOthersText')}
      </ConfirmDialog>
    </Section>
  );
}

function One({ session }: { session: Session }): ReactNode {
  const end = useEndSessions();
  const name = session.userAgent ?? t('account.unknownBrowser');
  return (
    <li className={css.session}>
      <Tile
        icon={/iPhone|iPad|iOS|Android/.test(session.userAgent ?? '') ? Smartphone : Laptop}
        size="large"
      />
      <div className={css.words}>
        <p className={css.sessionName}>
          {name} {session.current && <Badge tone="success">{t('account.thisSession')}</Badge>}
        </p>
        <p className="muted">
          <RelativeTime date={session.lastSeenDate} />
          {session.address && <> · {session.address}</>}
        </p>
        {end.error && (
          <p className={css.bad} role="alert">
            {end.error.message}
          </p>
        )}
      </div>
      {!session.current && (
        <Button
          size="compact"
          busy={end.isPending}
          aria-label={`${t('account.endSession')}: ${name}`}
          onClick={() => end.mutate(session.id, { onSuccess: () => toast(t('account.sessionEnded')) })}
        >
          {t('account.endSession')}
        </Button>
      )}
    </li>
  );
}
