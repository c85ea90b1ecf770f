import { app } from './en/app';
import { auth } from './en/auth';
import { errors } from './en/errors';
import { kit } from './en/kit';

/**
 * One file per feature, each with its own prefix; joined here, one line each. Those of `parts.ts` are not among them: they
 * come with the screens that say them.
 */
export const en = {
  ...app,
  ...auth,
  ...errors,
  ...kit,
} as const;
