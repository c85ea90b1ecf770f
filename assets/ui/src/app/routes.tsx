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
  load: Load;
  screen: LazyExoticComponent<ComponentType<ScreenProps>>;
}

type Load = () => Promise<{ default: ComponentType<ScreenProps> }>;

/** Asked for by the frame and by what it frames, and loaded once: a browser keeps that a file did not come. */
function screen(path: string, frame: AppRoute['frame'], load: Load): AppRoute {
  let part: ReturnType<Load> | undefined;
  const loadOnce: Load = () => (part ??= loadPart(load));
  return { path, frame, load: loadOnce, screen: lazy(loadOnce) };
}
const shell = (path: string, load: Load): AppRoute => screen(path, 'shell', load);
const full = (path: string, load: Load): AppRoute => screen(path, 'full', load);
const bare = (path: string, load: Load): AppRoute => screen(path, 'bare', load);

export const routes: readonly AppRoute[] = [
  // Start and sign-in
  bare('/setup', () => import('../features/auth/SetupPage')),
  bare('/sign-in', () => import('../features/auth/SignInPage')),
  bare('/invite', () => import('../features/auth/InvitePage')),
  bare('/reset', () => import('../features/auth/ResetPage')),

  // What one wants to know at one look
  shell('/home', () => import('../features/home/HomePage')),

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

  // How much they asked, and what it used
  shell('/usage', () => import('../features/usage/UsagePage')),

  // Flows to begin with
  shell('/templates', () => import('./TemplatesScreen')),

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
  shell('/server', () => import('../features/server/ServerPage')),
  shell('/account', () => import('../features/account/AccountPage')),
];
