export const account = {
  'account.title': 'Account',
} as const;
