import { ChartColumn, Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useFlows } from '../../api/flows';
import { useCan } from '../../api/me';
import { useUsage, type UsageReport } from '../../api/usage';
import { sumOf } from '../../core/amounts';
import { csv } from '../../core/csv';
import { download } from '../../core/download';
import { compareNames, duration } from '../../core/format';
import { spanOfUtc } from '../../core/paging';
import { SEES_FLOWS } from '../../core/permissions';
import {
  Button,
  EmptyState,
  Loaded,
  Menu,
  NoAccess,
  Page,
  PageHeader,
  Section,
  Segments,
  Toolbar,
  useAddress,
} from '../../ui';
import { ClockNote } from '../../ui/ClockNote';
import { Facts } from '../../ui/Facts';
import { DayFilters, FilterSelect, FlowFilter } from '../../ui/FilteredPage';
import { Budgets } from './Budgets';
import { Days, type Shown } from './Days';
import { FlowTable, KeyTable, ModelTable } from './Tables';
import css from './Usage.module.css';
import { filterNames, isEmpty, OWN, queryOf, SPANS, spanOf, tables, type Span } from './view';
import { flowName, t } from './words';

/** How much was asked and used: by day, flow, key and model. Every number leads to what it counts. */
export default function UsagePage(): ReactNode {
  const maySee = useCan()(...SEES_FLOWS);
  const { read, clear } = useAddress();
  const span = spanOf(read);
  const usage = useUsage(queryOf(span, read), maySee);
  // What the filters offer is what there is without them.
  const whole = useUsage({ from: span.from, to: span.to }, maySee);
  if (!maySee)
    return (
      <Page>
        <PageHeader title={t('usage.title')} />
        <NoAccess permission={SEES_FLOWS[0] ?? ''} />
      </Page>
    );
  const filtered = filterNames.some((name) => read(name));
  return (
    <Page>
      <PageHeader
        title={t('usage.title')}
        description={t('usage.description')}
        actions={usage.data && !isEmpty(usage.data) && <Export report={usage.data} />}
      />
      <ClockNote />
      <Filters span={span} whole={whole.data} filtered={filtered} />
      <Loaded query={usage}>
        {(report) => (
          <div className={css.page}>
            {isRefusing(report) && <Budgets budgets={report.budgets} />}
            {isEmpty(report) ? (
              <EmptyState
                icon={ChartColumn}
                title={t('usage.empty')}
                actions={
                  filtered ? (
                    <Button onClick={() => clear(filterNames)}>{t('kit.clearFilters')}</Button>
                  ) : (
                    <Button asChild>
                      <Link href="/">{t('app.flows')}</Link>
                    </Button>
                  )
                }
              >
                {t('usage.emptyText')}
              </EmptyState>
            ) : (
              <Report report={report} />
            )}
            {!isRefusing(report) && <Budgets budgets={report.budgets} />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** What keeps people from an answer now stands above everything else. */
const isRefusing = ({ budgets }: UsageReport): boolean => budgets.some(({ refusing }) => refusing);

function Report({ report }: { report: UsageReport }): ReactNode {
  const [shown, setShown] = useState<Shown>('questions');
  const { read } = useAddress();
  const { from, to } = report;
  const flow = read('flow');
  const all = sumOf(report.days);
  const conversations = `/conversations?${spanOfUtc(from, to)}${flow ? `&flow=${flow}` : ''}`;
  // The lists of conversations know neither keys nor models.
  const counts = read('key') || read('model') ? {} : { to: conversations };
  return (
    <>
      <Facts
        label={t('usage.totals')}
        facts={[
          { label: t('usage.questions'), value: all.questions, ...counts },
          {
            label: t('usage.failed'),
            value: all.failed,
            ...(counts.to ? { to: `${conversations}&failed=true` } : {}),
          },
          { label: t('usage.medianTime'), value: report.medianMs, write: duration },
          { label: t('usage.promptTokens'), value: all.promptTokens },
          { label: t('usage.completionTokens'), value: all.completionTokens },
        ]}
      />
      <Section
        title={t('usage.chart')}
        actions={
          <Segments<Shown>
            label={t('usage.show')}
            value={shown}
            onChange={setShown}
            options={[
              { value: 'questions', label: t('usage.questions') },
              { value: 'tokens', label: t('usage.tokens') },
            ]}
          />
        }
      >
        <Days report={report} shown={shown} linked={Boolean(counts.to)} flow={flow} />
      </Section>
      <FlowTable report={report} />
      <div className={css.two}>
        <KeyTable report={report} />
        <ModelTable report={report} />
      </div>
    </>
  );
}

function Filters(props: { span: Span; whole: UsageReport | undefined; filtered: boolean }): ReactNode {
  const { span, whole, filtered } = props;
  const { read, put, clear } = useAddress();
  const flows = [...(useFlows().data ?? [])].sort((a, b) => compareNames(a.name, b.name));
  const gone = (whole?.flows ?? [])
    .filter(({ id }) => !flows.some((flow) => flow.id === id))
    .map(({ id, name }) => ({ id, name: flowName(id, name) }));
  const keys = (whole?.keys ?? []).filter(({ id }) => id !== null);
  const models = whole?.models ?? [];
  return (
    <Toolbar label={t('usage.filters')}>
      <FilterSelect
        aria-label={t('usage.span')}
        value={String(span.days)}
        onChange={(next) =>
          put(
            next === OWN
              ? { span: OWN, since: span.from, until: span.to }
              : { span: next === '30' ? '' : next, since: '', until: '' },
          )
        }
        options={[
          ...SPANS.map((count) => ({ value: String(count), label: t('usage.days', { count }) })),
          { value: OWN, label: t('usage.ownDays') },
        ]}
      />
      {span.days === OWN && (
        <DayFilters
          from={t('usage.from')}
          to={t('usage.to')}
          since={span.from}
          until={span.to}
          onChange={(name, day) => put({ [name]: day })}
        />
      )}
      <FlowFilter
        label={t('usage.flow')}
        any={t('usage.anyFlow')}
        value={read('flow')}
        flows={[...flows, ...gone]}
      />
      {(keys.length > 0 || read('key')) && (
        <FilterSelect
          aria-label={t('usage.key')}
          value={read('key')}
          onChange={(key) => put({ key })}
          options={[
            { value: '', label: t('usage.anyKey') },
            ...keys.map(({ id, name }) => ({ value: id ?? '', label: name ?? t('usage.unnamed') })),
          ]}
        />
      )}
      {(models.length > 0 || read('model')) && (
        <FilterSelect
          aria-label={t('usage.model')}
          value={read('model')}
          onChange={(model) => put({ model })}
          options={[
            { value: '', label: t('usage.anyModel') },
            ...models.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
      )}
      {filtered && (
        <Button variant="ghost" onClick={() => clear(filterNames)}>
          {t('kit.clearFilters')}
        </Button>
      )}
    </Toolbar>
  );
}

function Export({ report }: { report: UsageReport }): ReactNode {
  const save = (name: keyof typeof tables) => (): void =>
    download(`usage-${name}-${report.from}-${report.to}.csv`, csv(tables[name](report)), 'text/csv');
  return (
    <Menu
      items={[
        { label: t('usage.exportDays'), onSelect: save('days') },
        { label: t('usage.exportFlows'), onSelect: save('flows') },
        { label: t('usage.exportKeys'), onSelect: save('keys') },
        { label: t('usage.exportModels'), onSelect: save('models') },
      ]}
    >
      <Button icon={Download}>{t('usage.export')}</Button>
    </Menu>
  );
}
