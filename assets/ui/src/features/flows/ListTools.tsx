import { ArrowDownWideNarrow, ArrowUpNarrowWide, LayoutGrid, List, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlowSummary } from '../../api/models';
import { Button, IconButton, SearchField, Segments, Select, Tabs, Toolbar, usePref } from '../../ui';
import css from './Flows.module.css';
import { kindOf } from './kind';
import { chips, kinds, passing, type Order } from './state';
import type { FlowListView } from './useListView';
import { t } from './words';

interface ListToolsProps {
  flows: readonly FlowSummary[];
  list: FlowListView;
  children: ReactNode;
}

/** Tabs by kind, search, filters and how the list is shown. */
export function ListTools({ flows, list, children }: ListToolsProps): ReactNode {
  const { view, change } = list;
  const shown = passing(flows, view, 'kind');
  const count = (kind: string): number => shown.filter((flow) => flow.type === kind).length;
  const tabs = [
    { value: '', label: t('flows.all'), count: shown.length },
    ...kinds
      .filter((kind) => kind !== 'MULTIAGENT' || flows.some((flow) => flow.type === kind))
      .map((kind) => ({ value: kind, label: t(kindOf[kind].many), count: count(kind) })),
  ].map((tab) => ({ ...tab, value: tab.value || 'all' }));
  return (
    <Tabs
      label={t('flows.kinds')}
      tabs={tabs}
      value={view.kind || 'all'}
      onChange={(kind) => change({ kind: kind === 'all' ? '' : kind })}
      panelClassName={css.panel}
    >
      <Toolbar label={t('flows.filters')}>
        <SearchField label={t('flows.search')} value={view.text} onChange={(text) => change({ text })} />
        <Select
          size="compact"
          className={css.select}
          aria-label={t('flows.state')}
          value={view.state}
          onChange={(state) => change({ state })}
          options={[
            { value: '', label: t('flows.allStates') },
            ...chips.map((chip) => ({ value: chip, label: t(`flows.state.${chip}`) })),
          ]}
        />
        {view.tag && (
          <Button
            size="compact"
            iconEnd={X}
            aria-label={`${t('flows.clearTag')}: ${view.tag}`}
            onClick={() => change({ tag: '' })}
          >
            {view.tag}
          </Button>
        )}
        {list.filtered && (
          <Button size="compact" variant="ghost" onClick={list.clear}>
            {t('kit.clearFilters')}
          </Button>
        )}
        <span className={css.spacer} />
        <SortAndLook list={list} />
      </Toolbar>
      {children}
    </Tabs>
  );
}

const orders: {
  value: Order;
  label: 'flows.sortEdited' | 'flows.sortPublished' | 'flows.sortName' | 'flows.sortState';
}[] = [
  { value: 'edited', label: 'flows.sortEdited' },
  { value: 'published', label: 'flows.sortPublished' },
  { value: 'name', label: 'flows.sortName' },
  { value: 'state', label: 'flows.sortState' },
];

export const useLook = () => usePref('flows.look', 'table', ['table', 'cards']);

function SortAndLook({ list }: { list: FlowListView }): ReactNode {
  const [look, setLook] = useLook();
  return (
    <>
      <Select
        size="compact"
        className={css.select}
        aria-label={t('flows.sort')}
        value={list.order}
        onChange={(order) => list.sort(order, order === 'edited' || order === 'published')}
        options={orders.map(({ value, label }) => ({ value, label: t(label) }))}
      />
      <IconButton
        icon={list.down ? ArrowDownWideNarrow : ArrowUpNarrowWide}
        label={t(list.down ? 'flows.descending' : 'flows.ascending')}
        onClick={() => list.sort(list.order, !list.down)}
      />
      <Segments
        label={t('flows.shownAs')}
        value={look}
        onChange={setLook}
        options={[
          { value: 'table', label: t('flows.table'), icon: List, iconOnly: true },
          { value: 'cards', label: t('flows.cards'), icon: LayoutGrid, iconOnly: true },
        ]}
      />
    </>
  );
}
