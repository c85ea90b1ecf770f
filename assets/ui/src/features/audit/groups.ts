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
    'flow-promoted',
    'flow-rolled-back',
    'flow-restored',
    'webhook-secret-made',
    'webhook-secret-deleted',
    'mcp-token-made',
    'mcp-token-deleted',
    'schedule-switched-on',
    'schedule-switched-off',
  ],
  copy: ['repository-connected', 'repository-disconnected', 'versions-copied', 'environment-changed'],
} as const;

export type Group = keyof typeof groups;

export const isGroup = (name: string): name is Group => name in groups;
