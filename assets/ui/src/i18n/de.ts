/** The German texts, one file for each of the English ones; loaded whole, and only where German is wanted. */
import { account } from './de/account';
import { apiKeys } from './de/apiKeys';
import { apicode } from './de/apicode';
import { app } from './de/app';
import { assistants } from './de/assistants';
import { audit } from './de/audit';
import { auth } from './de/auth';
import { budget } from './de/budget';
import { canvas } from './de/canvas';
import { changes } from './de/changes';
import { chat } from './de/chat';
import { check } from './de/check';
import { conversations } from './de/conversations';
import { credentials } from './de/credentials';
import { editor } from './de/editor';
import { errors } from './de/errors';
import { executions } from './de/executions';
import { flows } from './de/flows';
import { flowsettings } from './de/flowsettings';
import { gitcopy } from './de/gitcopy';
import { home } from './de/home';
import { kit } from './de/kit';
import { knowledge } from './de/knowledge';
import { mcp } from './de/mcp';
import { permissions } from './de/permissions';
import { pipelines } from './de/pipelines';
import { promote } from './de/promote';
import { publish } from './de/publish';
import { roles } from './de/roles';
import { run } from './de/run';
import { server } from './de/server';
import { starts } from './de/starts';
import { templates } from './de/templates';
import { toolServers } from './de/toolServers';
import { tools } from './de/tools';
import { usage } from './de/usage';
import { users } from './de/users';
import { variables } from './de/variables';
import { versions } from './de/versions';
import { workspaces } from './de/workspaces';
import type { Words } from './index';

export const de: Words = {
  ...account,
  ...apiKeys,
  ...apicode,
  ...app,
  ...assistants,
  ...audit,
  ...auth,
  ...budget,
  ...canvas,
  ...changes,
  ...chat,
  ...check,
  ...conversations,
  ...credentials,
  ...editor,
  ...errors,
  ...executions,
  ...flows,
  ...flowsettings,
  ...gitcopy,
  ...home,
  ...kit,
  ...knowledge,
  ...mcp,
  ...permissions,
  ...pipelines,
  ...promote,
  ...publish,
  ...roles,
  ...run,
  ...server,
  ...starts,
  ...templates,
  ...toolServers,
  ...tools,
  ...usage,
  ...users,
  ...variables,
  ...versions,
  ...workspaces,
};
