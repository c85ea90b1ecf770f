export const errors = {
  'errors.boundary': 'This page ran into a fault',
  'errors.boundaryText': 'What you saved is safe. Reload to go on.',
  'errors.forbidden': 'You are not allowed to do this',
  'errors.network': 'The service did not answer. Check the connection and try again.',
  'errors.newVersion': 'A new version is available',
  'errors.newVersionText': 'Reload to go on with it.',
  'errors.notFound': 'There is no such page',
  'errors.notFoundText': 'It may have been deleted, or the address is wrong.',
  'errors.reload': 'Reload',
  'errors.server': 'The service failed. Try again in a moment.',
  'errors.toFlows': 'Go to flows',
} as const;
