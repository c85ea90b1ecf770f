import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Page, PageHeader } from '../../ui';

export default function AccountPage(): ReactNode {
  return (
    <Page narrow>
      <PageHeader title={t('account.title')} />
    </Page>
  );
}
