import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFlows } from '../../api/flows';
import { useCan, useMe } from '../../api/me';
import type { FlowSummary } from '../../api/models';
import { useVersionOfService } from '../../api/service';
import { useUsage } from '../../api/usage';
import { utcDay } from '../../core/paging';
import { SEES_FLOWS } from '../../core/permissions';
import { Loaded, Page, PageHeader, RelativeTime, rowLink, Section, Table } from '../../ui';
import { ClockNote } from '../../ui/ClockNote';
import { NoAccess } from '../../ui/NoAccess';
import { Attention } from './Attention';
import { FirstSteps } from './FirstSteps';
import css from './Home.module.css';
import { Numbers } from './Numbers';
import { Most } from './Most';
import { changed, recent } from './overview';
import { ServerState } from './ServerState';
import { t } from './words';

const ROWS = 6;

/** What somebody in charge of flows wants to know at one look; every number leads to what it counts. */
export default function HomePage(): ReactNode {
  const can = useCan();
  const me = useMe().data;
  const flows = useFlows();
  const usage = useUsage({ from: utcDay(29), to: utcDay() }, can(...SEES_FLOWS));
  const version = useVersionOfService().data?.version;
  const title = t('home.title');
  if (!can(...SEES_FLOWS))
    return (
      <Page>
        <PageHeader title={title} />
        <NoAccess permission={SEES_FLOWS[0] ?? ''} />
      </Page>
    );
  return (
    <Page>
      <PageHeader
        title={title}
        description={me && t('home.hello', { name: me.name })}
        actions={version && <p className="muted">{t('home.version', { version })}</p>}
      />
      <ClockNote />
      <Loaded query={flows}>
        {(list) => (
          <div className={css.page}>
            <FirstSteps flows={list} />
            {list.length > 0 && (
              <>
                <Numbers usage={usage} />
                <Attention flows={list} budgets={usage.data?.budgets ?? []} />
                <div className={css.two}>
                  <Recent flows={list} />
                  <Most usage={usage} of="questions" />
                  <Most usage={usage} of="failed" />
                  {me?.isOrganizationAdmin && <ServerState />}
                </div>
              </>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Recent({ flows }: { flows: readonly FlowSummary[] }): ReactNode {
  return (
    <Section title={t('home.recent')}>
      <Table
        caption={t('home.recent')}
        rows={recent(flows, ROWS)}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'name',
            header: t('kit.name'),
            cell: ({ id, name }) => (
              <Link href={`/flows/${id}`} className={rowLink}>
                {name}
              </Link>
            ),
          },
          {
            id: 'changed',
            header: t('kit.changed'),
            align: 'end',
            cell: (flow) => <RelativeTime date={changed(flow)} className="muted" />,
          },
        ]}
      />
    </Section>
  );
}
