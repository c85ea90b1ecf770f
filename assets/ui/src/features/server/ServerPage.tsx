import { LockKeyhole } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../../api/me';
import { useServer } from '../../api/service';
import { Banner, EmptyState, Loaded, Page, PageHeader, Tabs, useAddress } from '../../ui';
import { ClockNote } from '../../ui/ClockNote';
import { HealthList } from './HealthList';
import { Log } from './Log';
import css from './Server.module.css';
import { Settings } from './Settings';
import { t } from './words';

const names = ['health', 'settings', 'log'] as const;
type Name = (typeof names)[number];

/** How the server is, for its owner: what needs somebody comes before everything else. */
export default function ServerPage(): ReactNode {
  const isOwner = Boolean(useMe().data?.isOrganizationAdmin);
  const status = useServer(isOwner);
  const { read, put } = useAddress();
  const asked = read('tab');
  const tab = names.find((one) => one === asked) ?? 'health';
  if (!isOwner) {
    return (
      <Page>
        <PageHeader title={t('app.server')} />
        <EmptyState icon={LockKeyhole} title={t('server.ownerOnly')}>
          {t('server.ownerOnlyText')}
        </EmptyState>
      </Page>
    );
  }
  const problems = status.data?.problems ?? [];
  return (
    <Page>
      <PageHeader title={t('app.server')} description={t('server.description')} />
      <ClockNote />
      {problems.length > 0 && (
        <Banner tone="danger" title={t('server.problems')}>
          <ul className={css.problems}>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Banner>
      )}
      <Tabs<Name>
        label={t('server.parts')}
        value={tab}
        onChange={(next) => put({ tab: next === 'health' ? '' : next, q: '', level: '', origin: '' })}
        tabs={names.map((value) => ({ value, label: t(`server.${value}`) }))}
        panelClassName={css.panel}
      >
        {tab === 'log' ? (
          <Log />
        ) : (
          <Loaded query={status}>
            {(data) =>
              tab === 'settings' ? <Settings settings={data.settings} /> : <HealthList status={data} />
            }
          </Loaded>
        )}
      </Tabs>
    </Page>
  );
}
