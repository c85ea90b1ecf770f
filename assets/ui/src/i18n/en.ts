import { account } from './en/account';
import { apicode } from './en/apicode';
import { apiKeys } from './en/apiKeys';
import { app } from './en/app';
import { auth } from './en/auth';
import { canvas } from './en/canvas';
import { changes } from './en/changes';
import { credentials } from './en/credentials';
import { errors } from './en/errors';
import { flows } from './en/flows';
import { flowsettings } from './en/flowsettings';
import { kit } from './en/kit';
import { publish } from './en/publish';
import { versions } from './en/versions';
import { permissions } from './en/permissions';
import { roles } from './en/roles';
import { tools } from './en/tools';
import { users } from './en/users';
import { variables } from './en/variables';
import { workspaces } from './en/workspaces';

/**
 * One file per feature, each with its own prefix; joined here, one line each. Texts that are not among them (`audit`, `chat`,
 * `editor`, `executions`, `run`) come with the parts that show them.
 */
export const en = {
  ...account,
  ...apicode,
  ...apiKeys,
  ...app,
  ...auth,
  ...canvas,
  ...changes,
  ...credentials,
  ...errors,
  ...flows,
  ...flowsettings,
  ...kit,
  ...publish,
  ...versions,
  ...permissions,
  ...roles,
  ...tools,
  ...users,
  ...variables,
  ...workspaces,
} as const;
