export const flowsettings = {
  'flowsettings.title': 'Settings',
} as const;
