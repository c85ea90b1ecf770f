import { ListChecks, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useExecutions } from '../../api/executions';
import { useFlows } from '../../api/flows';
import { useCan } from '../../api/me';
import { compareNames } from '../../core/format';
import { Button, EmptyState, SearchField, useAddress, useSettled } from '../../ui';
import { CountedPager, DayFilters, FilteredPage, FilterSelect, FlowFilter } from '../../ui/FilteredPage';
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
  const { read, clear } = useAddress();
  // A session is typed: it is asked for when the typing pauses.
  const session = useSettled(read('session'), 300);
  const query = queryOf((name) => (name === 'session' ? session : read(name)));
  const rows = useExecutions(query, maySee);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [deleting, setDeleting] = useState<readonly string[]>([]);
  const filtered = filterNames.some((name) => read(name));
  // Only what is in view can be chosen.
  const there = (rows.data?.data ?? []).map(({ id }) => id).filter((id) => chosen.has(id));
  return (
    <>
      <FilteredPage
        title={t('executions.title')}
        description={t('executions.description')}
        missing={maySee ? null : 'executions:view'}
        label={t('executions.filters')}
        filters={<Filters />}
        filtered={filtered}
        onClear={() => clear([...filterNames, 'page'])}
        between={
          there.length > 0 && (
            <Chosen
              count={there.length}
              onDelete={() => setDeleting(there)}
              onClear={() => setChosen(new Set())}
            />
          )
        }
        query={rows}
        further={query.page > 1}
        empty={
          <EmptyState icon={ListChecks} title={t('executions.empty')}>
            {t('executions.emptyText')}
          </EmptyState>
        }
      >
        {({ data, total }) => (
          <>
            <ExecutionTable
              rows={data}
              chosen={chosen}
              onChoose={mayDelete ? setChosen : null}
              onDelete={mayDelete ? (id) => setDeleting([id]) : null}
            />
            <CountedPager page={query.page} limit={LIMIT} total={total} />
          </>
        )}
      </FilteredPage>
      {deleting.length > 0 && <DeleteRuns ids={deleting} onClose={() => setDeleting([])} />}
    </>
  );
}

/** What can be done with the runs that were chosen. */
function Chosen(props: { count: number; onDelete: () => void; onClear: () => void }): ReactNode {
  const { count, onDelete, onClear } = props;
  return (
    <div className={css.chosen} role="group" aria-label={t('executions.chosen', { count })}>
      <p role="status">{t('executions.chosen', { count })}</p>
      <Button size="compact" icon={Trash2} onClick={onDelete}>
        {t('executions.deleteMany')}
      </Button>
      <Button size="compact" variant="ghost" onClick={onClear}>
        {t('executions.clearChosen')}
      </Button>
    </div>
  );
}

function Filters(): ReactNode {
  const { read, put } = useAddress();
  const flows = useFlows().data?.filter(({ type }) => type === 'AGENTFLOW');
  const set = (name: string, value: string): void => put({ [name]: value, page: '' });
  return (
    <>
      <FilterSelect
        aria-label={t('executions.state')}
        value={read('state')}
        onChange={(next) => set('state', next)}
        options={[
          { value: '', label: t('executions.anyState') },
          ...runStates.map((state) => ({ value: state, label: t(`run.state.${state}`) })),
        ]}
      />
      {flows && (
        <FlowFilter
          label={t('executions.flow')}
          any={t('executions.anyFlow')}
          value={read('flow')}
          flows={[...flows].sort((a, b) => compareNames(a.name, b.name))}
        />
      )}
      <SearchField
        label={t('executions.sessionHint')}
        value={read('session')}
        onChange={(next) => set('session', next)}
      />
      <DayFilters
        from={t('executions.from')}
        to={t('executions.to')}
        since={read('since')}
        until={read('until')}
        onChange={set}
      />
    </>
  );
}
