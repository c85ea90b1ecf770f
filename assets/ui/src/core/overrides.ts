/** The list of settings that a request may change: read, shown beside what could be listed, and written. */

import { change, inside, readConfig, type Json } from './flowconfig';
import { parseFlow } from './flowdata';

/** A row of what could be listed. */
export interface Allowable {
  node: string;
  nodeId: string;
  label: string;
  name: string;
  type: string;
  schema?: unknown;
  /** Why it can never be changed by a request, when the service tells. */
  blocked?: string;
}

export interface Variable {
  id: string;
  name: string;
  type: string;
}

export interface Overrides {
  on: boolean;
  /** `card label` and `name`, joined. */
  rows: string[];
  variables: string[];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Cards of one label share their list, so the label and not the id names a row. */
export const rowKey = (node: string, name: string): string => JSON.stringify([node, name]);

export function readOverrides(stored: string | null): Overrides {
  const config = inside(readConfig(stored), 'overrideConfig');
  const nodes = inside(config, 'nodes');
  const on = (row: Json): boolean => row.enabled === true && typeof row.name === 'string';
  return {
    on: config.status === true,
    rows: Object.entries(nodes).flatMap(([node, rows]) =>
      list(rows)
        .filter(on)
        .map((row) => rowKey(node, String(row.name))),
    ),
    variables: list(config.variables)
      .filter(on)
      .map((row) => String(row.name)),
  };
}

/** What is listed but not on offer any more goes, unless nothing is on offer: then the list stays as it is. */
export function writeOverrides(
  stored: string | null,
  { on, rows, variables }: Overrides,
  offered: readonly Allowable[],
  known: readonly Variable[],
): string {
  const before = inside(readConfig(stored), 'overrideConfig');
  const chosen = new Set(rows);
  const nodes: Record<string, Json[]> = {};
  const seen = new Set<string>();
  for (const { node, label, name, type, schema, blocked } of offered) {
    const key = rowKey(node, name);
    if (blocked || !chosen.has(key) || seen.has(key)) continue;
    seen.add(key);
    (nodes[node] ??= []).push({ label, name, type, ...(schema ? { schema } : {}), enabled: true });
  }
  // Rows of cards that are only in the draft, or were written elsewhere, stay while they are ticked.
  for (const [node, kept] of Object.entries(inside(before, 'nodes'))) {
    for (const row of list(kept)) {
      const key = rowKey(node, String(row.name));
      if (chosen.has(key) && !seen.has(key)) (nodes[node] ??= []).push(row);
    }
  }
  const listed = known
    .filter((one) => variables.includes(one.name))
    .map(({ id, name, type }) => ({ id, name, type, enabled: true }));
  const overrideConfig = { ...before, status: on, nodes, variables: listed };
  return change(stored, { overrideConfig });
}

export interface Group {
  node: string;
  rows: Allowable[];
}

/** Rows by card label, without what appears twice. */
export function grouped(rows: readonly Allowable[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const group = groups.get(row.node) ?? { node: row.node, rows: [] };
    if (!group.rows.some((one) => one.name === row.name)) group.rows.push(row);
    groups.set(row.node, group);
  }
  return [...groups.values()];
}

/** Settings of the canvas that the service leaves out of its list: no request ever changes them. */
export function neverChanged(flowData: string, offered: readonly Allowable[]): Allowable[] {
  const parsed = parseFlow(flowData);
  if (!parsed.ok) return [];
  const known = new Set(offered.map((row) => rowKey(row.nodeId, row.name)));
  const cards = new Set(offered.map((row) => row.nodeId));
  return parsed.flow.nodes
    .filter((node) => cards.has(node.id))
    .flatMap((node) =>
      list(node.data.inputParams)
        .filter((param) => typeof param.name === 'string' && !known.has(rowKey(node.id, param.name)))
        .map((param) => ({
          node: String(node.data.label ?? node.id),
          nodeId: node.id,
          label: typeof param.label === 'string' ? param.label : String(param.name),
          name: String(param.name),
          type: typeof param.type === 'string' ? param.type : '',
        })),
    );
}
