import { account } from './en/account';
import { apicode } from './en/apicode';
import { app } from './en/app';
import { auth } from './en/auth';
import { canvas } from './en/canvas';
import { changes } from './en/changes';
import { chat } from './en/chat';
import { errors } from './en/errors';
import { flows } from './en/flows';
import { flowsettings } from './en/flowsettings';
import { kit } from './en/kit';
import { publish } from './en/publish';
import { versions } from './en/versions';

/** One file per feature, each with its own prefix; joined here, one line each. */
export const en = {
  ...account,
  ...apicode,
  ...app,
  ...auth,
  ...canvas,
  ...changes,
  ...chat,
  ...errors,
  ...flows,
  ...flowsettings,
  ...kit,
  ...publish,
  ...versions,
} as const;

export type Key = keyof typeof en;
