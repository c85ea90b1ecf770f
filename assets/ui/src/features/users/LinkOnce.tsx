import type { ReactNode } from 'react';
import type { OnceLink } from '../../api/people';
import { serviceAddress } from '../../core/base';
import { exactTime } from '../../core/format';
import { t } from '../../i18n';
import { OnceDialog } from '../../ui';

export interface NewLink {
  kind: 'invitation' | 'reset';
  /** Whom it is for. */
  name: string;
  link: OnceLink;
}

/** A link that is handed over by hand: no mail is sent. */
export function LinkOnce({ link, onDone }: { link: NewLink; onDone: () => void }): ReactNode {
  const { kind, name } = link;
  return (
    <OnceDialog
      title={kind === 'reset' ? t('users.resetMade', { name }) : t('users.inviteMade', { email: name })}
      text={t(kind === 'reset' ? 'users.resetText' : 'users.inviteText')}
      label={t('users.link')}
      value={`${serviceAddress()}${link.link.path}`}
      copy={t('users.copyLink')}
      stored={t('users.copied')}
      note={t('users.linkUntil', { date: exactTime(link.link.expires) })}
      onDone={onDone}
    />
  );
}
