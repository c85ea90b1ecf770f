import type { ReactNode } from 'react';
import { useFlows } from '../../api/flows';
import { t } from '../../i18n';
import { Loaded, Page, PageHeader } from '../../ui';

export default function FlowsPage(): ReactNode {
  const flows = useFlows();
  return (
    <Page>
      <PageHeader title={t('flows.title')} />
      <Loaded query={flows}>
        {(list) => (
          <ul>
            {list.map((flow) => (
              <li key={flow.id}>{flow.name}</li>
            ))}
          </ul>
        )}
      </Loaded>
    </Page>
  );
}
