import { ArrowRightLeft, Building2, Gauge, MapPin, Pencil, Trash2, UsersRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCan, useMe, useSwitchWorkspace } from '../../api/me';
import { useDeleteWorkspace, useWorkspaces, type Workspace } from '../../api/workspaces';
import { t } from '../../i18n';
import {
  Badge,
  dateColumn,
  DeleteRecord,
  ListPage,
  rowLink,
  RowMenu,
  Table,
  toast,
  type Column,
} from '../../ui';
import { Members } from './Members';
import { QuotaForm } from './QuotaForm';
import { WorkspaceForm } from './WorkspaceForm';
import css from './Workspaces.module.css';
import './words';

type Open = { dialog: 'new' } | { dialog: 'members' | 'edit' | 'quota' | 'delete'; workspace: Workspace };

/** The workspaces the person is in; the owner sees all. */
export default function WorkspacesPage(): ReactNode {
  const can = useCan();
  const workspaces = useWorkspaces();
  const remove = useDeleteWorkspace();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const mayCreate = can('workspace:create');
  return (
    <>
      <ListPage
        title={t('workspaces.title')}
        description={t('workspaces.description')}
        icon={Building2}
        query={workspaces}
        create={mayCreate && { label: t('workspaces.new'), onClick: () => setOpen({ dialog: 'new' }) }}
        viewOnly={!mayCreate && t('workspaces.viewOnly', { permission: 'workspace:create' })}
        empty={{ title: t('workspaces.empty'), text: t('workspaces.emptyText') }}
        search={{ label: t('workspaces.search'), words: (one) => [one.name, one.description] }}
        found={(count) => t('workspaces.found', { count })}
      >
        {(rows) => <WorkspaceTable rows={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.dialog === 'new' && <WorkspaceForm onClose={close} />}
      {open?.dialog === 'edit' && <WorkspaceForm workspace={open.workspace} onClose={close} />}
      {open?.dialog === 'quota' && <QuotaForm workspace={open.workspace} onClose={close} />}
      {open?.dialog === 'members' && <Members workspace={open.workspace} onClose={close} />}
      {open?.dialog === 'delete' && (
        <DeleteRecord
          texts="workspaces"
          id={open.workspace.id}
          name={open.workspace.name}
          remove={remove}
          onClose={close}
        />
      )}
    </>
  );
}

interface WorkspaceTableProps {
  rows: readonly Workspace[];
  onOpen: (open: Open) => void;
}

function WorkspaceTable({ rows, onOpen }: WorkspaceTableProps): ReactNode {
  const can = useCan();
  const me = useMe().data;
  const reachable = (one: Workspace): boolean => Boolean(me?.isOrganizationAdmin) || one.isActive;
  const seesMembers = can('workspace:view', 'workspace:add-user', 'workspace:unlink-user', 'users:manage');
  const columns: Column<Workspace>[] = [
    {
      id: 'name',
      header: t('kit.name'),
      cell: (workspace) => (
        <span className={css.name}>
          <span className="inline">
            {seesMembers && reachable(workspace) ? (
              <button
                type="button"
                className={rowLink}
                onClick={() => onOpen({ dialog: 'members', workspace })}
              >
                {workspace.name}
              </button>
            ) : (
              workspace.name
            )}
            {workspace.isActive && (
              <Badge tone="accent" icon={MapPin}>
                {t('workspaces.active')}
              </Badge>
            )}
            {workspace.isDefault && <Badge>{t('workspaces.default')}</Badge>}
          </span>
          {workspace.description && <span className="note">{workspace.description}</span>}
        </span>
      ),
    },
    {
      id: 'members',
      header: t('workspaces.members'),
      align: 'end',
      wideOnly: true,
      cell: (workspace) => workspace.memberCount,
    },
    { id: 'role', header: t('workspaces.yourRole'), wideOnly: true, cell: (workspace) => workspace.role },
    dateColumn(t('workspaces.created'), (workspace) => workspace.createdDate),
    {
      id: 'menu',
      header: '',
      cell: (workspace) => (
        <Actions
          workspace={workspace}
          reachable={reachable(workspace)}
          seesMembers={seesMembers}
          onOpen={onOpen}
        />
      ),
    },
  ];
  return <Table caption={t('workspaces.title')} columns={columns} rows={rows} rowKey={(row) => row.id} />;
}

interface ActionsProps {
  workspace: Workspace;
  reachable: boolean;
  seesMembers: boolean;
  onOpen: (open: Open) => void;
}

function Actions({ workspace, reachable, seesMembers, onOpen }: ActionsProps): ReactNode {
  const can = useCan();
  const isOwner = Boolean(useMe().data?.isOrganizationAdmin);
  const change = useSwitchWorkspace();
  const refusal = (permission: string): { disabled?: true; hint?: string } => {
    if (!can(permission)) return { disabled: true, hint: t('kit.needs', { permission }) };
    return reachable ? {} : { disabled: true, hint: t('workspaces.switchFirst') };
  };
  return (
    <RowMenu
      name={workspace.name}
      items={[
        !workspace.isActive && {
          label: t('workspaces.switch'),
          icon: ArrowRightLeft,
          onSelect: () => change.mutate(workspace.id, { onError: (error) => toast(error.message) }),
        },
        {
          label: t('workspaces.members'),
          icon: UsersRound,
          ...(seesMembers && reachable ? {} : refusal('workspace:view')),
          onSelect: () => onOpen({ dialog: 'members', workspace }),
        },
        {
          label: t('kit.edit'),
          icon: Pencil,
          ...refusal('workspace:update'),
          onSelect: () => onOpen({ dialog: 'edit', workspace }),
        },
        // The owner sets it; the others see what there is.
        (isOwner || workspace.quota !== null) && {
          label: t('workspaces.quota'),
          icon: Gauge,
          onSelect: () => onOpen({ dialog: 'quota', workspace }),
        },
        {
          label: t('kit.delete'),
          icon: Trash2,
          danger: true,
          ...(workspace.isDefault
            ? { disabled: true, hint: t('workspaces.deleteDefault') }
            : refusal('workspace:delete')),
          onSelect: () => onOpen({ dialog: 'delete', workspace }),
        },
      ]}
    />
  );
}
