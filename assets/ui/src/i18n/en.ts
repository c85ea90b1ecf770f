import { app } from './en/app';
import { auth } from './en/auth';
import { canvas } from './en/canvas';
import { changes } from './en/changes';
import { errors } from './en/errors';
import { flows } from './en/flows';
import { kit } from './en/kit';
import { publish } from './en/publish';

/**
 * One file per feature, each with its own prefix; joined here, one line each. Those of `parts.ts` are not among them: they
 * come with the screens that say them.
 */
export const en = {
  ...app,
  ...auth,
  ...canvas,
  ...changes,
  ...errors,
  ...flows,
  ...kit,
  ...publish,
} as const;
