import { LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../../api/me';
import { useEndPersonSessions, usePersonSessions, type Person } from '../../api/people';
import { t } from '../../i18n';
import { Badge, Banner, Button, Dialog, Loaded, RelativeTime, toast } from '../../ui';
import css from './Users.module.css';

/** Where a person is signed in. */
export function SessionsDialog({ person, onClose }: { person: Person; onClose: () => void }): ReactNode {
  const me = useMe().data;
  const sessions = usePersonSessions(person.userId);
  const end = useEndPersonSessions();
  const own = me?.id === person.userId;
  const others = (sessions.data ?? []).filter((one) => !one.current).length;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('users.sessionsOf', { name: person.user.name })}
      footer={
        <>
          <Button onClick={onClose}>{t('kit.close')}</Button>
          <Button
            icon={LogOut}
            disabled={others === 0}
            busy={end.isPending}
            onClick={() =>
              end.mutate(person.userId, {
                onSuccess: () => {
                  toast(t('users.sessionsEnded', { name: person.user.name }));
                  onClose();
                },
              })
            }
          >
            {t(own ? 'users.endOthers' : 'users.endSessions')}
          </Button>
        </>
      }
    >
      {end.error && <Banner tone="danger">{end.error.message}</Banner>}
      <Loaded query={sessions}>
        {(list) =>
          list.length === 0 ? (
            <p className="nothing">{t('users.sessionsNone')}</p>
          ) : (
            <ul className="lines">
              {list.map((session) => (
                <li key={session.id} className={css.session}>
                  <span className={css.name}>
                    <span className="inline">
                      {session.userAgent ?? t('users.unknownDevice')}
                      {session.current && <Badge tone="accent">{t('users.thisSession')}</Badge>}
                    </span>
                    <span className="note">
                      {[session.address, session.workspace].filter(Boolean).join(' · ')}
                    </span>
                  </span>
                  <RelativeTime date={session.lastSeenDate} className="muted" />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}
