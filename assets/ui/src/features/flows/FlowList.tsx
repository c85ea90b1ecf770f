import { Copy, Download, LayoutTemplate, MoreHorizontal, Pencil, Tags, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useCan } from '../../api/me';
import type { FlowSummary } from '../../api/models';
import { compareNames } from '../../core/format';
import { tagsOf } from '../../core/tags';
import { IconButton, List, Menu, RelativeTime, rowLink, Table, Tile, type Column } from '../../ui';
import type { Open } from './FlowDialogs';
import css from './Flows.module.css';
import { kindOf, permission } from './kind';
import { useLook } from './ListTools';
import { edited, sorted, type Order } from './state';
import { StateChip } from './StateChip';
import { useFlowFiles } from './useFlowFiles';
import type { FlowListView } from './useListView';
import { t } from './words';

interface FlowListProps {
  flows: readonly FlowSummary[];
  list: FlowListView;
  onOpen: (open: Open) => void;
}

/** How high a card is about, in pixels. */
const CARD = 120;

export function FlowList({ flows, list, onOpen }: FlowListProps): ReactNode {
  const [look] = useLook();
  const rows = sorted(flows, list.order, list.down, compareNames);
  const onTag = (tag: string): void => list.change({ tag });
  const actions = (flow: FlowSummary): ReactNode => <FlowMenu flow={flow} onOpen={onOpen} />;
  if (look === 'cards') {
    return (
      <List
        rows={rows}
        rowKey={(flow) => flow.id}
        className={css.cards}
        itemClassName={css.card}
        guess={CARD}
      >
        {(flow) => <FlowCard flow={flow} actions={actions(flow)} onTag={onTag} />}
      </List>
    );
  }
  return (
    <Table
      caption={t('flows.title')}
      columns={columns(actions, onTag)}
      rows={rows}
      rowKey={(flow) => flow.id}
      sort={{ by: list.order, down: list.down }}
      onSort={({ by, down }) => list.sort(by as Order, down)}
    />
  );
}

function columns(
  actions: (flow: FlowSummary) => ReactNode,
  onTag: (tag: string) => void,
): Column<FlowSummary>[] {
  return [
    {
      id: 'name',
      header: t('flows.name'),
      sortable: true,
      cell: (flow) => (
        <span className={css.name}>
          <Tile {...kindOf[flow.type]} />
          <Link href={`/flows/${flow.id}`} className={rowLink}>
            {flow.name}
            <span className="sr-only">, {t(kindOf[flow.type].one)}</span>
          </Link>
        </span>
      ),
    },
    {
      id: 'tags',
      header: t('flows.tags'),
      wideOnly: true,
      cell: (flow) => <TagList flow={flow} onTag={onTag} />,
    },
    {
      id: 'state',
      header: t('flows.state'),
      sortable: true,
      cell: (flow) => <StateChip state={flow.state} />,
    },
    {
      id: 'published',
      header: t('flows.lastPublished'),
      sortable: true,
      wideOnly: true,
      width: '150px',
      cell: (flow) => <PublishedCell flow={flow} />,
    },
    {
      id: 'edited',
      header: t('flows.edited'),
      sortable: true,
      wideOnly: true,
      width: '190px',
      cell: (flow) => <EditedCell flow={flow} />,
    },
    { id: 'actions', header: '', cell: actions },
  ];
}

function PublishedCell({ flow }: { flow: FlowSummary }): ReactNode {
  const reason = flow.state?.reason;
  if (reason) return <span className={css.muted}>{t(`flows.reason.${reason}`)}</span>;
  const last = flow.state?.lastPublished;
  return last ? (
    <RelativeTime date={last.date} className={css.muted} />
  ) : (
    <span className={css.muted}>{t('flows.neverTime')}</span>
  );
}

function EditedCell({ flow }: { flow: FlowSummary }): ReactNode {
  return (
    <span className={css.muted}>
      <RelativeTime date={edited(flow)} />
    </span>
  );
}

function TagList({ flow, onTag }: { flow: FlowSummary; onTag: (tag: string) => void }): ReactNode {
  const tags = tagsOf(flow.category);
  if (tags.length === 0) return null;
  return (
    <ul className={css.tags} aria-label={t('flows.tagsOf', { name: flow.name })}>
      {tags.map((tag) => (
        <li key={tag}>
          <button type="button" className={css.tag} onClick={() => onTag(tag)}>
            {tag}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface FlowCardProps {
  flow: FlowSummary;
  actions: ReactNode;
  onTag: (tag: string) => void;
}

function FlowCard({ flow, actions, onTag }: FlowCardProps): ReactNode {
  return (
    <>
      <div className={css.cardHead}>
        <Tile {...kindOf[flow.type]} size="large" />
        <div className={css.cardName}>
          <h2 className={css.cardTitle}>
            <Link href={`/flows/${flow.id}`} className={rowLink}>
              {flow.name}
            </Link>
          </h2>
          <p className={css.muted}>{t(kindOf[flow.type].one)}</p>
        </div>
        <div className={css.cardMenu}>{actions}</div>
      </div>
      <TagList flow={flow} onTag={onTag} />
      <div className={css.cardFoot}>
        <StateChip state={flow.state} />
        <EditedCell flow={flow} />
      </div>
    </>
  );
}

function FlowMenu({ flow, onOpen }: { flow: FlowSummary; onOpen: (open: Open) => void }): ReactNode {
  const can = useCan();
  const [, go] = useLocation();
  const { exportFile, duplicate } = useFlowFiles();
  const mayChange = can(permission(flow.type, 'update'));
  return (
    <Menu
      label={t('flows.manage', { name: flow.name })}
      items={[
        // An assistant says itself what it is called.
        mayChange &&
          flow.type !== 'ASSISTANT' && {
            label: t('flows.rename'),
            icon: Pencil,
            onSelect: () => onOpen({ dialog: 'rename', flow }),
          },
        mayChange && { label: t('flows.tags'), icon: Tags, onSelect: () => onOpen({ dialog: 'tags', flow }) },
        can(permission(flow.type, 'create')) && {
          label: t('flows.duplicate'),
          icon: Copy,
          onSelect: () => duplicate(flow),
        },
        can('templates:flowexport') &&
          flow.type !== 'ASSISTANT' && {
            label: t('flows.keepTemplate'),
            icon: LayoutTemplate,
            onSelect: () => go(`/templates?tab=own&of=${flow.id}`),
          },
        { label: t('flows.export'), icon: Download, onSelect: () => exportFile(flow) },
        can(permission(flow.type, 'delete')) && 'separator',
        can(permission(flow.type, 'delete')) && {
          label: t('flows.delete'),
          icon: Trash2,
          danger: true,
          onSelect: () => onOpen({ dialog: 'delete', flow }),
        },
      ]}
    >
      <IconButton icon={MoreHorizontal} label={t('flows.manage', { name: flow.name })} size="compact" />
    </Menu>
  );
}
