/** The arguments of a tool: JSON text in the record, rows in the form. */
import { nextId } from './nextId';

export const kinds = ['string', 'number', 'boolean', 'date'] as const;
export type Kind = (typeof kinds)[number];

export interface Argument {
  id: number;
  property: string;
  type: Kind;
  description: string;
  required: boolean;
}

const isKind = (value: unknown): value is Kind => kinds.some((kind) => kind === value);

/** Reads the text; what is no argument is left out. */
export function readArguments(schema: string): Argument[] {
  let read: unknown;
  try {
    read = JSON.parse(schema || '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(read)) return [];
  return read.flatMap((row: unknown, at) => {
    if (typeof row !== 'object' || row === null || !('property' in row)) return [];
    const { property, type, description, required } = row as Record<string, unknown>;
    return [
      {
        id: at + 1,
        property: String(property),
        type: isKind(type) ? type : 'string',
        description: typeof description === 'string' ? description : '',
        required: required === true,
      },
    ];
  });
}

export const writeArguments = (rows: readonly Argument[]): string =>
  JSON.stringify(rows.map((row, at) => ({ ...row, id: at + 1, property: row.property.trim() })));

export const nextArgument = (rows: readonly Argument[]): Argument => ({
  id: nextId(rows),
  property: '',
  type: 'string',
  description: '',
  required: true,
});

export type ArgumentProblem = 'required' | 'badArgument' | 'twice';

/** What is wrong with the names, by the id of the row. */
export function problemsOf(rows: readonly Argument[]): Map<number, ArgumentProblem> {
  const problems = new Map<number, ArgumentProblem>();
  const seen = new Set<string>();
  for (const row of rows) {
    const name = row.property.trim();
    if (!name) problems.set(row.id, 'required');
    else if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) problems.set(row.id, 'badArgument');
    else if (seen.has(name)) problems.set(row.id, 'twice');
    seen.add(name);
  }
  return problems;
}
