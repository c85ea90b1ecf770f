/** What stands where the service hides a stored secret; sent back, it means that the secret stays. */
export const HIDDEN = '••••••••';

/** Something is stored that is not shown, as a whole or in part. */
export const isHidden = (stored: unknown): stored is string =>
  typeof stored === 'string' && stored.includes(HIDDEN);
