/** Files of flows: what is written on export, and what is understood on import. */

import { readFlow, type FlowProblem } from './flowdata';

type Json = Record<string, unknown>;

export type FlowFileType = 'CHATFLOW' | 'AGENTFLOW' | 'MULTIAGENT' | 'ASSISTANT' | 'HARNESS' | 'ETL';

export interface FlowFile {
  name: string;
  type: FlowFileType;
  flowData: string;
  category?: string;
  chatbotConfig?: string;
  apiConfig?: string;
}

const TYPES: readonly FlowFileType[] = ['CHATFLOW', 'AGENTFLOW', 'MULTIAGENT', 'ASSISTANT', 'HARNESS', 'ETL'];
/** Lists of records in the family's export of a whole workspace, with the type of what is in them. */
const LISTS: Record<string, FlowFileType> = {
  ChatFlow: 'CHATFLOW',
  AgentFlow: 'MULTIAGENT',
  AgentFlowV2: 'AGENTFLOW',
  AssistantFlow: 'ASSISTANT',
};
const NEVER = 'FLOWISE_CREDENTIAL_ID';
const SECRET_TYPES = ['password', 'file', 'folder'];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text of an exported canvas: without credentials, passwords and files. */
export function exportFlow(flow: { name: string; type: string; flowData: string }): string {
  const canvas: unknown = JSON.parse(flow.flowData || '{"nodes":[],"edges":[]}');
  const rest = isObject(canvas) ? canvas : {};
  const nodes = Array.isArray(rest.nodes) ? rest.nodes.map(withoutSecrets) : [];
  return `${JSON.stringify({ name: flow.name, type: flow.type, ...rest, nodes }, null, 2)}\n`;
}

function withoutSecrets(node: unknown): unknown {
  if (!isObject(node) || !isObject(node.data)) return node;
  const data = node.data;
  const params = Array.isArray(data.inputParams) ? (data.inputParams as unknown[]).filter(isObject) : [];
  const secret = new Set(
    params.filter((param) => SECRET_TYPES.includes(String(param.type))).map((param) => String(param.name)),
  );
  const inputs = isObject(data.inputs)
    ? Object.fromEntries(Object.entries(data.inputs).filter(([name]) => !secret.has(name)))
    : data.inputs;
  const kept = Object.entries({ ...data, inputs }).filter(
    ([name, value]) => name !== 'credential' && value !== undefined,
  );
  return { ...node, data: withoutIds(Object.fromEntries(kept)) };
}

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== NEVER)
      .map(([name, inner]) => [name, withoutIds(inner)]),
  );
}

export type ImportedFlows =
  { ok: true; flows: FlowFile[] } | { ok: false; problem: FlowProblem | 'no-flows' };

/** Reads one canvas, one record, or the family's export of many. `fileName` names a canvas that has no name. */
export function importFlows(text: string, fileName: string): ImportedFlows {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'not-json' };
  }
  if (!isObject(read)) return { ok: false, problem: 'not-object' };
  const records = Object.entries(LISTS).flatMap(([list, type]) => {
    const inside = (read as Json)[list];
    return Array.isArray(inside)
      ? (inside as unknown[]).filter(isObject).map((record) => ({ type, ...record }))
      : [];
  });
  if (records.length > 0) return all(records.map((record) => ofRecord(record, fileName)));
  if (typeof read.flowData === 'string') return all([ofRecord(read, fileName)]);
  if ('nodes' in read || 'edges' in read) return all([ofCanvas(read, fileName)]);
  return { ok: false, problem: 'no-flows' };
}

type One = FlowFile | FlowProblem;

function all(each: One[]): ImportedFlows {
  const wrong = each.find((one) => typeof one === 'string');
  return wrong
    ? { ok: false, problem: wrong }
    : { ok: true, flows: each.filter((one) => typeof one !== 'string') };
}

function ofRecord(record: Json, fileName: string): One {
  let canvas: unknown;
  try {
    canvas = JSON.parse(typeof record.flowData === 'string' ? record.flowData : '');
  } catch {
    return 'not-json';
  }
  const problem = problemOf(canvas);
  if (problem) return problem;
  const file: FlowFile = {
    name: nameOf(record.name, fileName),
    type: typeOf(record.type, canvas as Json),
    flowData: record.flowData as string,
  };
  for (const key of ['category', 'chatbotConfig', 'apiConfig'] as const) {
    const value = record[key];
    if (typeof value === 'string' && value) file[key] = value;
  }
  return file;
}

function ofCanvas(canvas: Json, fileName: string): One {
  const problem = problemOf(canvas);
  if (problem) return problem;
  const { name, type, ...rest } = canvas;
  return { name: nameOf(name, fileName), type: typeOf(type, canvas), flowData: JSON.stringify(rest) };
}

function problemOf(canvas: unknown): FlowProblem | null {
  const parsed = readFlow(canvas);
  return parsed.ok ? null : parsed.problem;
}

function nameOf(name: unknown, fileName: string): string {
  if (typeof name === 'string' && name.trim()) return name.trim();
  return fileName.replace(/\.json$/i, '').trim() || 'Flow';
}

/** The type that is named, or the one the cards tell. */
function typeOf(type: unknown, canvas: Json): FlowFileType {
  const named = TYPES.find((one) => one === type);
  if (named) return named;
  const nodes = Array.isArray(canvas.nodes) ? (canvas.nodes as unknown[]).filter(isObject) : [];
  if (nodes.some((node) => node.type === 'agentFlow' || node.type === 'iteration')) return 'AGENTFLOW';
  const categories = nodes.map((node) => (isObject(node.data) ? node.data.category : null));
  return categories.some((one) => one === 'Sequential Agents' || one === 'Multi Agents')
    ? 'MULTIAGENT'
    : 'CHATFLOW';
}
