import { ListChecks, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useExecutions } from '../../api/executions';
import { useFlows } from '../../api/flows';
import { useCan } from '../../api/me';
import { compareNames } from '../../core/format';
import {
  Button,
  EmptyState,
  FilteredEmpty,
  Input,
  Loaded,
  NoAccess,
  Page,
  PageHeader,
  Pager,
  SearchField,
  Select,
  Toolbar,
  useAddress,
  useSettled,
} from '../../ui';
import { runStates } from '../../ui/run/RunStateBadge';
import { DeleteRuns } from './DeleteRuns';
import css from './Executions.module.css';
import { ExecutionTable } from './ExecutionTable';
import { filterNames, LIMIT, queryOf } from './view';
import { t } from './words';

/** What ran, a page at a time. */
export default function ExecutionsPage(): ReactNode {
  const can = useCan();
  const maySee = can('executions:view');
  const mayDelete = can('executions:delete');
  const { read, put } = useAddress();
  // A session is typed: it is asked for when the typing pauses.
  const session = useSettled(read('session'), 300);
  const query = queryOf((name) => (name === 'session' ? session : read(name)));
  const rows = useExecutions(query, maySee);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [deleting, setDeleting] = useState<readonly string[]>([]);
  if (!maySee) {
    return (
      <Page>
        <PageHeader title={t('executions.title')} />
        <NoAccess permission="executions:view" />
      </Page>
    );
  }
  const filtered = filterNames.some((name) => read(name));
  const clear = (): void => put(Object.fromEntries([...filterNames, 'page'].map((name) => [name, ''])));
  // Only what is in view can be chosen.
  const there = (rows.data?.data ?? []).map(({ id }) => id).filter((id) => chosen.has(id));
  return (
    <Page>
      <PageHeader title={t('executions.title')} description={t('executions.description')} />
      <Toolbar label={t('executions.filters')}>
        <Filters />
        {filtered && (
          <Button variant="ghost" onClick={clear}>
            {t('kit.clearFilters')}
          </Button>
        )}
      </Toolbar>
      {there.length > 0 && (
        <div className={css.chosen} role="group" aria-label={t('executions.chosen', { count: there.length })}>
          <p role="status">{t('executions.chosen', { count: there.length })}</p>
          <Button size="compact" icon={Trash2} onClick={() => setDeleting(there)}>
            {t('executions.deleteMany')}
          </Button>
          <Button size="compact" variant="ghost" onClick={() => setChosen(new Set())}>
            {t('executions.clearChosen')}
          </Button>
        </div>
      )}
      <Loaded query={rows}>
        {({ data, total }) =>
          data.length === 0 ? (
            filtered || query.page > 1 ? (
              <FilteredEmpty onClear={clear} />
            ) : (
              <EmptyState icon={ListChecks} title={t('executions.empty')}>
                {t('executions.emptyText')}
              </EmptyState>
            )
          ) : (
            <>
              <ExecutionTable
                rows={data}
                chosen={chosen}
                onChoose={mayDelete ? setChosen : null}
                onDelete={mayDelete ? (id) => setDeleting([id]) : null}
              />
              <Pager
                page={query.page}
                limit={LIMIT}
                total={total}
                onPage={(next) => put({ page: next > 1 ? String(next) : '' })}
              />
            </>
          )
        }
      </Loaded>
      {deleting.length > 0 && <DeleteRuns ids={deleting} onClose={() => setDeleting([])} />}
    </Page>
  );
}

function Filters(): ReactNode {
  const { read, put } = useAddress();
  const flows = useFlows().data?.filter(({ type }) => type === 'AGENTFLOW');
  const set = (name: string, value: string): void => put({ [name]: value, page: '' });
  return (
    <>
      <Select
        className={css.filter}
        aria-label={t('executions.state')}
        value={read('state')}
        onChange={(next) => set('state', next)}
        options={[
          { value: '', label: t('executions.anyState') },
          ...runStates.map((state) => ({ value: state, label: t(`run.state.${state}`) })),
        ]}
      />
      {flows && (
        <Select
          className={css.filter}
          aria-label={t('executions.flow')}
          value={read('flow')}
          onChange={(next) => set('flow', next)}
          options={[
            { value: '', label: t('executions.anyFlow') },
            ...[...flows]
              .sort((a, b) => compareNames(a.name, b.name))
              .map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <SearchField
        label={t('executions.sessionHint')}
        value={read('session')}
        onChange={(next) => set('session', next)}
      />
      <div className={css.days}>
        {(['since', 'until'] as const).map((name) => (
          <label key={name} className={css.day}>
            {t(name === 'since' ? 'executions.from' : 'executions.to')}
            <Input
              type="date"
              className={css.date}
              value={read(name)}
              onChange={(event) => set(name, event.target.value)}
            />
          </label>
        ))}
      </div>
    </>
  );
}
