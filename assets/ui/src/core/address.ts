/**
 * Whether a browser would look for an address at this origin itself. Asked of the browser's own reader: it drops tabs
 * and line ends, and takes `/\` for `//`.
 */
export function isOwnAddress(address: string, own: string = location.origin): boolean {
  try {
    const { origin, protocol } = new URL(address, own);
    return /^https?:$/.test(protocol) && origin === own;
  } catch {
    return false;
  }
}
