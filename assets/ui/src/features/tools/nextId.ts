/** An id that no row of a form has yet. */
export const nextId = (rows: readonly { id: number }[]): number =>
  Math.max(0, ...rows.map(({ id }) => id)) + 1;
