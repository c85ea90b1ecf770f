export const flows = {
  'flows.title': 'Flows',
} as const;
