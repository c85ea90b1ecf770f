import { KeyRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { IncomingFlow } from '../../api/promotion';
import { t } from '../../i18n';
import { Banner, Button } from '../../ui';
import type { PromoteParts } from './parts';
import css from './Promote.module.css';

type Missing = IncomingFlow['missingCredentials'][number];

export interface CredentialsProps {
  flow: IncomingFlow;
  NewCredential: PromoteParts['NewCredential'];
  onMade: () => void;
}

/** Credentials that are missing here, each with the way to make it, those of which there are several, and hidden secrets. */
export function Credentials({ flow, NewCredential, onMade }: CredentialsProps): ReactNode {
  const { missingCredentials, ambiguousCredentials, hiddenSecrets } = flow;
  const [making, make] = useState<Missing | null>(null);
  return (
    <>
      {missingCredentials.length > 0 && (
        <Banner tone="danger" title={t('promote.missing')}>
          <p id="promote-missing">{t('promote.missingText')}</p>
          <ul className={css.rows}>
            {missingCredentials.map((one) => (
              <li key={`${one.name} ${one.credentialName}`} className={css.row}>
                <span>{t('promote.missingOf', { name: one.name, type: one.credentialName })}</span>
                <Button size="compact" icon={KeyRound} onClick={() => make(one)}>
                  {t('promote.createCredential', { name: one.name })}
                </Button>
              </li>
            ))}
          </ul>
        </Banner>
      )}
      {ambiguousCredentials.length > 0 && (
        <Banner tone="warning" title={t('promote.ambiguousTitle')}>
          <ul>
            {ambiguousCredentials.map(({ name, credentialName, count, using }) => (
              <li key={`${name} ${credentialName}`}>
                {t('promote.ambiguous', { name, type: credentialName, count })}{' '}
                {t(using === 'current' ? 'promote.ambiguousCurrent' : 'promote.ambiguousOldest')}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      {hiddenSecrets > 0 && (
        <Banner title={t('promote.hidden', { count: hiddenSecrets })}>{t('promote.hiddenText')}</Banner>
      )}
      {making && (
        <NewCredential
          kinds={[making.credentialName]}
          name={making.name}
          onClose={() => make(null)}
          onMade={onMade}
        />
      )}
    </>
  );
}
