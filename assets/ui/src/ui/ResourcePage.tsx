import { Eye, Pencil, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { t } from '../i18n';
import { DeleteRecord, type Deletion } from './DeleteRecord';
import { ListPage, type ListPageProps } from './ListPage';
import type { MenuAction } from './Menu';
import css from './ResourcePage.module.css';
import { RowMenu } from './RowMenu';
import { rowLink, Table, type Column } from './Table';
import type { FlowUses } from './UsedBy';

/** For what may be done with records of a kind, the permission that the person lacks for it. */
export type MissingPermissions = Record<'view' | 'create' | 'update' | 'delete', string | null>;

export interface ResourcePageProps<Row extends { id: string }> extends Pick<
  ListPageProps<Row>,
  'icon' | 'query' | 'filters' | 'around'
> {
  /** Whose texts it has. */
  texts: 'apiKeys' | 'credentials' | 'roles' | 'toolServers' | 'tools' | 'variables';
  /** Replaced in the description. */
  values?: Record<string, string>;
  missing: MissingPermissions;
  name: (row: Row) => string;
  /** A line below the name. */
  purpose?: (row: Row) => ReactNode;
  /** What the search looks at. */
  words: ListPageProps<Row>['search']['words'];
  /** Between the name and the menu. */
  columns: readonly Column<Row>[];
  /** Who may not change a row may still open it. */
  viewable?: boolean;
  /** Whether this row may be changed by who may change rows. */
  isEditable?: (row: Row) => boolean;
  /** Why this row cannot be deleted. */
  deleteBlockedBy?: (row: Row) => string | null;
  /** More for the menu of a row. */
  actions?: (row: Row) => readonly MenuAction[];
  remove: Deletion;
  /** The flows that use a row, named before it is deleted; left out for what flows do not use. */
  affected?: { text: string; flows: (row: Row) => FlowUses | undefined };
  /** The form of a row, or of a new one. */
  form: (row: Row | null, close: () => void) => ReactNode;
}

type Open<Row> = { dialog: 'new' } | { dialog: 'edit' | 'delete'; row: Row };

/** A page with the records of one kind: their list, and the dialogs that make, change and delete them. */
export function ResourcePage<Row extends { id: string }>(props: ResourcePageProps<Row>): ReactNode {
  const { texts, values, missing, name, words, form, remove, affected } = props;
  const { icon, query, filters, around } = props;
  const [open, setOpen] = useState<Open<Row> | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <ListPage
        title={t(`${texts}.title`)}
        description={t(`${texts}.description`, values)}
        icon={icon}
        query={query}
        around={around}
        missing={missing.view ?? false}
        create={!missing.create && { label: t(`${texts}.new`), onClick: () => setOpen({ dialog: 'new' }) }}
        viewOnly={
          missing.create !== null &&
          t('kit.viewOnly', { things: t(`${texts}.things`), permission: missing.create })
        }
        empty={{ title: t(`${texts}.empty`), text: t(`${texts}.emptyText`) }}
        search={{ label: t(`${texts}.search`), words }}
        filters={filters}
        found={(count) => t(`${texts}.found`, { count })}
      >
        {(rows) => (
          <Table
            caption={t(`${texts}.title`)}
            columns={columnsOf(props, setOpen)}
            rows={rows}
            rowKey={(row) => row.id}
          />
        )}
      </ListPage>
      {open?.dialog === 'new' && form(null, close)}
      {open?.dialog === 'edit' && form(open.row, close)}
      {open?.dialog === 'delete' && (
        <DeleteRecord
          texts={texts}
          id={open.row.id}
          name={name(open.row)}
          remove={remove}
          affected={affected && { text: affected.text, flows: affected.flows(open.row) }}
          onClose={close}
        />
      )}
    </>
  );
}

function columnsOf<Row extends { id: string }>(
  props: ResourcePageProps<Row>,
  onOpen: (open: Open<Row>) => void,
): Column<Row>[] {
  const { missing, name, purpose, columns, viewable, isEditable, deleteBlockedBy, actions } = props;
  const needs = (permission: string | null): string | null =>
    permission === null ? null : t('kit.needs', { permission });
  const edit = (row: Row) => () => onOpen({ dialog: 'edit', row });
  const title = (row: Row): ReactNode =>
    viewable || !missing.update ? (
      <button type="button" className={rowLink} onClick={edit(row)}>
        {name(row)}
      </button>
    ) : (
      name(row)
    );
  const menu = (row: Row): MenuAction[] => {
    const views = viewable && (missing.update !== null || isEditable?.(row) === false);
    return [
      {
        label: t(views ? 'kit.view' : 'kit.edit'),
        icon: views ? Eye : Pencil,
        ...disabledWith(viewable ? null : needs(missing.update)),
        onSelect: edit(row),
      },
      ...(actions?.(row) ?? []),
      {
        label: t('kit.delete'),
        icon: Trash2,
        danger: true,
        ...disabledWith(needs(missing.delete) ?? deleteBlockedBy?.(row) ?? null),
        onSelect: () => onOpen({ dialog: 'delete', row }),
      },
    ];
  };
  return [
    {
      id: 'name',
      header: t('kit.name'),
      cell: (row) => {
        if (!purpose) return title(row);
        const line = purpose(row);
        return (
          <span className={css.name}>
            {title(row)}
            {line && <span className={css.purpose}>{line}</span>}
          </span>
        );
      },
    },
    ...columns,
    { id: 'menu', header: '', cell: (row) => <RowMenu name={name(row)} items={menu(row)} /> },
  ];
}

/** An entry of a menu that cannot be chosen, and why. */
const disabledWith = (hint: string | null): { disabled?: boolean; hint?: string } =>
  hint === null ? {} : { disabled: true, hint };
