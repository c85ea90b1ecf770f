export const apicode = {
  'apicode.title': 'Call “{name}”',
} as const;
