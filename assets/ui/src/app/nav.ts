import {
  ArrowUpFromLine,
  Blocks,
  Bot,
  Braces,
  Building2,
  ChartColumn,
  GitBranch,
  House,
  KeyRound,
  LayoutTemplate,
  Library,
  ListChecks,
  LockKeyhole,
  MessagesSquare,
  ScrollText,
  Server,
  ShieldCheck,
  UsersRound,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { SEES_FLOWS } from '../core/permissions';
import type { Key } from '../i18n';

export interface NavItem {
  path: string;
  label: Key;
  icon: LucideIcon;
  /** One of these is needed to see it; none: everybody sees it. */
  anyOf?: readonly string[];
  ownerOnly?: boolean;
  /** Only on a server that is labelled Prod. */
  prodOnly?: boolean;
}

export interface NavGroup {
  label: Key;
  items: readonly NavItem[];
}

/** What it depends on who sees an item, and where. */
export interface Viewer {
  can: (...anyOf: string[]) => boolean;
  isOwner: boolean;
  isProd: boolean;
}

export const sees = (item: NavItem, { can, isOwner, isProd }: Viewer): boolean =>
  (!item.ownerOnly || isOwner) && (!item.prodOnly || isProd) && (!item.anyOf || can(...item.anyOf));

/** The sidebar, top to bottom. */
export const nav: readonly NavGroup[] = [
  {
    label: 'app.build',
    items: [
      {
        path: '/home',
        label: 'app.home',
        icon: House,
        anyOf: SEES_FLOWS,
      },
      {
        path: '/',
        label: 'app.flows',
        icon: Workflow,
        anyOf: SEES_FLOWS,
      },
      { path: '/assistants', label: 'app.assistants', icon: Bot, anyOf: ['assistants:view'] },
      {
        path: '/templates',
        label: 'app.templates',
        icon: LayoutTemplate,
        anyOf: ['templates:marketplace', 'templates:custom'],
      },
      { path: '/executions', label: 'app.executions', icon: ListChecks, anyOf: ['executions:view'] },
      {
        path: '/conversations',
        label: 'app.conversations',
        icon: MessagesSquare,
        anyOf: SEES_FLOWS,
      },
      {
        path: '/usage',
        label: 'app.usage',
        icon: ChartColumn,
        anyOf: SEES_FLOWS,
      },
      { path: '/knowledge', label: 'app.knowledge', icon: Library, anyOf: ['documentStores:view'] },
      { path: '/promote', label: 'app.promote', icon: ArrowUpFromLine, ownerOnly: true, prodOnly: true },
    ],
  },
  {
    label: 'app.connect',
    items: [
      { path: '/credentials', label: 'app.credentials', icon: LockKeyhole, anyOf: ['credentials:view'] },
      { path: '/variables', label: 'app.variables', icon: Braces, anyOf: ['variables:view'] },
      { path: '/tools', label: 'app.tools', icon: Blocks, anyOf: ['tools:view'] },
      { path: '/api-keys', label: 'app.apiKeys', icon: KeyRound, anyOf: ['apikeys:view'] },
    ],
  },
  {
    label: 'app.manage',
    items: [
      {
        path: '/users',
        label: 'app.users',
        icon: UsersRound,
        anyOf: ['users:manage', 'workspace:view', 'workspace:add-user'],
      },
      { path: '/roles', label: 'app.roles', icon: ShieldCheck, anyOf: ['roles:manage'] },
      { path: '/workspaces', label: 'app.workspaces', icon: Building2, anyOf: ['workspace:view'] },
      {
        path: '/audit',
        label: 'app.audit',
        icon: ScrollText,
        anyOf: ['loginActivity:view'],
      },
      { path: '/git-copy', label: 'app.gitCopy', icon: GitBranch, ownerOnly: true },
      { path: '/server', label: 'app.server', icon: Server, ownerOnly: true },
    ],
  },
];
