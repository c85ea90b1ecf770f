/** Kinds of entries, as the filter offers them, and the view that an address means. */

export const groups = {
  signIns: ['sign-in', 'sign-in-refused', 'sign-out', 'session-ended', 'sessions-ended'],
  accounts: [
    'password-changed',
    'password-reset-requested',
    'password-reset-link-made',
    'password-reset',
    'email-changed',
    'profile-changed',
  ],
  people: [
    'invitation-made',
    'invitation-removed',
    'invitation-accepted',
    'owner-registered',
    'user-disabled',
    'user-enabled',
    'user-deleted',
  ],
  roles: ['role-created', 'role-changed', 'role-deleted'],
  workspaces: [
    'workspace-created',
    'workspace-changed',
    'workspace-deleted',
    'organization-changed',
    'member-added',
    'member-changed',
    'member-removed',
  ],
  keys: ['apikey-created', 'apikey-changed', 'apikey-deleted'],
  credentials: ['credential-created', 'credential-changed', 'credential-deleted'],
  flows: [
    'flow-created',
    'flow-imported',
    'flow-deleted',
    'flow-published',
    'flow-rolled-back',
    'flow-restored',
  ],
} as const;

export type Group = keyof typeof groups;

export const isGroup = (name: string): name is Group => name in groups;

/** The moment a day begins (or ends) here, for a day as date fields give it; empty when it is none. */
export function edgeOfDay(day: string, end: boolean): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return '';
  const at = new Date(`${day}T${end ? '23:59:59.999' : '00:00:00.000'}`);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

/** The page an address names: 1 for anything odd. */
export function pageOf(text: string): number {
  const page = Number(text);
  return Number.isInteger(page) && page > 0 ? page : 1;
}
