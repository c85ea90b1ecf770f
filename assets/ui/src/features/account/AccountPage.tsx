import type { ReactNode } from 'react';
import { useMe } from '../../api/me';
import { t } from '../../i18n';
import { Loaded, Page, PageHeader } from '../../ui';
import { Email, Name, Password } from './Profile';
import { Look } from './Look';
import { Sessions } from './Sessions';
import './words';

/** What a person may change about themselves. */
export default function AccountPage(): ReactNode {
  const me = useMe();
  return (
    <Page narrow>
      <PageHeader title={t('account.title')} />
      <Loaded query={me}>
        {(person) =>
          person && (
            <>
              <Name me={person} />
              <Email me={person} />
              <Password me={person} />
              <Look />
              <Sessions />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
