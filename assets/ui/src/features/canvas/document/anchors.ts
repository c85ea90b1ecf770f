import type { FlowNode } from '../../../core/flowdata';
import { isObject, type Json } from '../../../core/nodes';
import { inputsOf, isStep, nameOf, objects, rowsOf, text, withData, type Definition, type Doc } from './doc';

/** Inputs whose rows are outputs: each row leads somewhere else. */
const ROW_OUTPUTS: Record<string, { input: string; otherwise: boolean; first: number }> = {
  conditionAgentflow: { input: 'conditions', otherwise: true, first: 1 },
  conditionAgentAgentflow: { input: 'conditionAgentScenarios', otherwise: false, first: 2 },
};

export const rowOutputs = (name: string) => ROW_OUTPUTS[name];

/** What Flowise's editor gives steps for a colour; edges carry it. */
const COLOURS: Record<string, string> = {
  startAgentflow: '#7EE787',
  llmAgentflow: '#64B5F6',
  agentAgentflow: '#4DD0E1',
  conditionAgentflow: '#FFB938',
  conditionAgentAgentflow: '#ff8fab',
  httpAgentflow: '#FF7F7F',
  humanInputAgentflow: '#6E6EFD',
  iterationAgentflow: '#9C89B8',
  loopAgentflow: '#FFA07A',
  retrieverAgentflow: '#b8bedd',
  toolAgentflow: '#d4a373',
  executeFlowAgentflow: '#a3b18a',
  customFunctionAgentflow: '#E4B7FF',
  directReplyAgentflow: '#4DDBBB',
  stickyNoteAgentflow: '#fee440',
};

export const colourOf = (name: string): string | undefined => COLOURS[name];

/** Where a run begins, and what nothing follows. */
export const takesNothing = (name: string): boolean => name === 'startAgentflow' || /^stickyNote/.test(name);
export const givesNothing = (name: string): boolean =>
  name === 'loopAgentflow' || name === 'directReplyAgentflow' || /^stickyNote/.test(name);

/** The outputs of a step, as its inputs say them now. */
export function stepOutputs(id: string, name: string, label: string, inputs: Json): Json[] {
  if (givesNothing(name)) return [];
  const numbered = (count: number, otherwise: boolean): Json[] =>
    Array.from({ length: count }, (_, at) => ({
      id: `${id}-output-${at}`,
      label: otherwise && at === count - 1 ? 'Else' : String(at),
      name: String(at),
      description: otherwise && at === count - 1 ? 'Else' : `Condition ${at}`,
    }));
  const rows = ROW_OUTPUTS[name];
  const outputs = rows
    ? numbered(rowsOf(inputs[rows.input]).length + (rows.otherwise ? 1 : 0), rows.otherwise)
    : name === 'humanInputAgentflow'
      ? ['Proceed', 'Reject'].map((one, at) => ({ id: `${id}-output-${at}`, label: one, name }))
      : [{ id: `${id}-output-${name}`, label, name }];
  return inputs.onError === 'branch' ? [...outputs, errorOutput(id)] : outputs;
}

const errorOutput = (id: string): Json => ({ id: `${id}-output-error`, label: 'Error', name: 'error' });

/** The outputs of a card of a chat canvas. */
export function cardOutputs(id: string, definition: Definition): Json[] {
  const { name, type, baseClasses, description, outputs } = definition;
  if (!outputs?.length)
    return [
      {
        id: `${id}-output-${name}-${baseClasses.join('|')}`,
        name,
        label: type,
        description,
        type: baseClasses.join(' | '),
      },
    ];
  const options = outputs.map((one) => ({
    id: `${id}-output-${one.name}-${one.baseClasses.join('|')}`,
    name: one.name,
    label: one.label,
    description: '',
    type: one.baseClasses.join(' | '),
  }));
  return [
    {
      name: 'output',
      label: 'Output',
      type: 'options',
      description: '',
      options,
      default: outputs[0]?.name ?? '',
    },
  ];
}

/**
 * Keeps the outputs of a step in line with its inputs, and edges at the row they left from: `from` says of each row
 * where it stood before.
 */
export function followRows(doc: Doc, before: FlowNode, after: FlowNode): Doc {
  if (!isStep(after)) return doc;
  const name = nameOf(after);
  const rows = ROW_OUTPUTS[name];
  const branches = inputsOf(after).onError === 'branch';
  const branched = inputsOf(before).onError === 'branch';
  if (!rows && branches === branched) return doc;
  if (rows && branches === branched && inputsOf(before)[rows.input] === inputsOf(after)[rows.input])
    return doc;
  const { id } = after;
  const stored = objects(after.data.outputAnchors);
  // A step that was drawn without saying its outputs has all that its card has, and not the way out for errors alone.
  const anchors =
    rows || stored.length === 0
      ? stepOutputs(id, name, text(after.data.type), inputsOf(after))
      : [...stored.filter((one) => one.name !== 'error'), ...(branches ? [errorOutput(id)] : [])];
  const nodes = doc.nodes.map((node) =>
    node.id === id ? withData(after, { outputAnchors: anchors }) : node,
  );
  const moves = rows
    ? rowMoves(inputsOf(before)[rows.input], inputsOf(after)[rows.input], rows.otherwise)
    : null;
  const edges = doc.edges.flatMap((edge) => {
    if (edge.source !== id) return [edge];
    const output = text(edge.sourceHandle).replace(`${id}-output-`, '');
    if (output === 'error') return branches ? [edge] : [];
    if (!moves || !/^\d+$/.test(output)) return [edge];
    const to = moves(Number(output));
    if (to === null) return [];
    if (to === Number(output)) return [edge];
    const sourceHandle = `${id}-output-${to}`;
    const data =
      isObject(edge.data) && 'edgeLabel' in edge.data ? { ...edge.data, edgeLabel: String(to) } : edge.data;
    return [
      { ...edge, sourceHandle, id: edgeId(id, sourceHandle, edge.target, text(edge.targetHandle)), data },
    ];
  });
  return { ...doc, nodes, edges };
}

export const edgeId = (source: string, sourceHandle: string, target: string, targetHandle: string): string =>
  `${source}-${sourceHandle}-${target}-${targetHandle}`;

/**
 * Where the output of a row went; null when the row is gone. Rows that stayed are the same objects, but where a text
 * is read they are those that say the same.
 */
function rowMoves(before: unknown, after: unknown, otherwise: boolean): (at: number) => number | null {
  const [old, now] = [rowsOf(before), rowsOf(after)];
  const read = typeof before === 'string' || typeof after === 'string';
  const to = read ? placesByContent(old, now) : old.map((row) => now.indexOf(row));
  const permuted = to.every((found) => found >= 0) && to.some((found, at) => found !== at);
  if (old.length === now.length && !permuted) return (at) => at;
  return (at) => {
    if (otherwise && at === old.length) return now.length;
    const found = to[at] ?? -1;
    return found >= 0 ? found : null;
  };
}

function placesByContent(old: readonly Json[], now: readonly Json[]): number[] {
  const free: (string | null)[] = now.map((row) => JSON.stringify(row));
  return old.map((row) => {
    const found = free.indexOf(JSON.stringify(row));
    if (found >= 0) free[found] = null;
    return found;
  });
}
