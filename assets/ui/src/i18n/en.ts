import { app } from './en/app';
import { auth } from './en/auth';
import { canvas } from './en/canvas';
import { changes } from './en/changes';
import { credentials } from './en/credentials';
import { errors } from './en/errors';
import { flows } from './en/flows';
import { kit } from './en/kit';
import { publish } from './en/publish';
import { permissions } from './en/permissions';

/**
 * One file per feature, each with its own prefix; joined here, one line each. Those of `parts.ts` are not among them: they
 * come with the screens that say them.
 */
export const en = {
  ...app,
  ...auth,
  ...canvas,
  ...changes,
  ...credentials,
  ...errors,
  ...flows,
  ...kit,
  ...publish,
  ...permissions,
} as const;
