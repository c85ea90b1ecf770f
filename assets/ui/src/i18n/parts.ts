/** Texts that are loaded with the screens that say them, for the type of their keys. */
import type { account } from './en/account';
import type { apiKeys } from './en/apiKeys';
import type { apicode } from './en/apicode';
import type { assistants } from './en/assistants';
import type { audit } from './en/audit';
import type { budget } from './en/budget';
import type { canvas } from './en/canvas';
import type { changes } from './en/changes';
import type { chat } from './en/chat';
import type { check } from './en/check';
import type { conversations } from './en/conversations';
import type { credentials } from './en/credentials';
import type { editor } from './en/editor';
import type { executions } from './en/executions';
import type { flows } from './en/flows';
import type { flowsettings } from './en/flowsettings';
import type { gitcopy } from './en/gitcopy';
import type { home } from './en/home';
import type { knowledge } from './en/knowledge';
import type { mcp } from './en/mcp';
import type { permissions } from './en/permissions';
import type { pipelines } from './en/pipelines';
import type { promote } from './en/promote';
import type { publish } from './en/publish';
import type { roles } from './en/roles';
import type { run } from './en/run';
import type { server } from './en/server';
import type { starts } from './en/starts';
import type { templates } from './en/templates';
import type { tools } from './en/tools';
import type { toolServers } from './en/toolServers';
import type { usage } from './en/usage';
import type { users } from './en/users';
import type { variables } from './en/variables';
import type { versions } from './en/versions';
import type { workspaces } from './en/workspaces';

export type PartKey =
  | keyof typeof account
  | keyof typeof apiKeys
  | keyof typeof apicode
  | keyof typeof assistants
  | keyof typeof audit
  | keyof typeof budget
  | keyof typeof canvas
  | keyof typeof changes
  | keyof typeof chat
  | keyof typeof check
  | keyof typeof conversations
  | keyof typeof credentials
  | keyof typeof editor
  | keyof typeof executions
  | keyof typeof flows
  | keyof typeof flowsettings
  | keyof typeof gitcopy
  | keyof typeof home
  | keyof typeof knowledge
  | keyof typeof mcp
  | keyof typeof permissions
  | keyof typeof pipelines
  | keyof typeof promote
  | keyof typeof publish
  | keyof typeof roles
  | keyof typeof run
  | keyof typeof server
  | keyof typeof starts
  | keyof typeof templates
  | keyof typeof tools
  | keyof typeof toolServers
  | keyof typeof usage
  | keyof typeof users
  | keyof typeof variables
  | keyof typeof versions
  | keyof typeof workspaces;
