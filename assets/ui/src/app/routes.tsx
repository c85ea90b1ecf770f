import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { loadPart } from '../core/parts';
import type { ScreenProps } from './screen';

/**
 * The table of routes; one line for each screen. A screen is the default export of its file and is loaded when it
 * is first opened. `shell` draws it beside the sidebar, `full` without the space of an ordinary page around it
 * (the editor), `bare` without sidebar and also for people who are not signed in.
 */
export interface AppRoute {
  path: string;
  frame: 'shell' | 'full' | 'bare';
  screen: LazyExoticComponent<ComponentType<ScreenProps>>;
}

type Load = () => Promise<{ default: ComponentType<ScreenProps> }>;

const screen = (path: string, frame: AppRoute['frame'], load: Load): AppRoute => ({
  path,
  frame,
  screen: lazy(() => loadPart(load)),
});
const shell = (path: string, load: Load): AppRoute => screen(path, 'shell', load);
const full = (path: string, load: Load): AppRoute => screen(path, 'full', load);
const bare = (path: string, load: Load): AppRoute => screen(path, 'bare', load);

export const routes: readonly AppRoute[] = [
  // Start and sign-in
  bare('/setup', () => import('../features/auth/SetupPage')),
  bare('/sign-in', () => import('../features/auth/SignInPage')),
  bare('/invite', () => import('../features/auth/InvitePage')),
  bare('/reset', () => import('../features/auth/ResetPage')),

  // Flows
  shell('/', () => import('../features/flows/FlowsPage')),
  // One route for its tabs, so that a test chat or unsaved text stays while another tab is shown.
  full('/flows/:id/:tab?', () => import('./FlowScreen')),

  // Flows that are told in a form; each opens as a flow
  shell('/assistants', () => import('../features/assistants/AssistantsPage')),

  // What ran. The address of a shared one is that of Flowise's page.
  shell('/executions', () => import('../features/executions/ExecutionsPage')),
  shell('/executions/:id', () => import('../features/executions/ExecutionPage')),
  bare('/execution/:id', () => import('../features/executions/SharedPage')),

  // What people asked
  shell('/conversations', () => import('../features/conversations/ConversationsPage')),
  shell('/conversations/:flow/:chat', () => import('../features/conversations/ConversationPage')),

  // What flows answer from
  shell('/knowledge', () => import('../features/knowledge/KnowledgePage')),
  shell('/knowledge/:id', () => import('./KnowledgeScreen')),

  // Between servers
  shell('/git-copy', () => import('../features/gitcopy/GitCopyPage')),
  shell('/promote', () => import('../features/promote/PromotePage')),
  shell('/promote/:id', () => import('./PromoteScreen')),

  // Connect
  shell('/credentials', () => import('../features/credentials/CredentialsPage')),
  shell('/variables', () => import('../features/variables/VariablesPage')),
  shell('/tools', () => import('../features/tools/ToolsPage')),
  shell('/api-keys', () => import('../features/apikeys/ApiKeysPage')),

  // Manage
  shell('/users', () => import('../features/users/UsersPage')),
  shell('/roles', () => import('../features/roles/RolesPage')),
  shell('/workspaces', () => import('../features/workspaces/WorkspacesPage')),
  shell('/audit', () => import('../features/audit/AuditPage')),
  shell('/account', () => import('../features/account/AccountPage')),
];
