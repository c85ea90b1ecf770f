/** The part of a list that an address names. */

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
