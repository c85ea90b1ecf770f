import type { FlowEdge, FlowNode } from '../../../core/flowdata';
import { isObject, type Json } from '../../../core/nodes';
import { colourOf } from './anchors';
import { inputsOf, isStep, nameOf, nodeIn, objects, text, withData, withNode, type Doc } from './doc';
import { idOf, type Wire } from './rules';

const reference = (id: string): string => `{{${id}.data.instance}}`;

/** The input that a handle of a card stands for. */
function inputOf(node: FlowNode, handle: string): Json | undefined {
  return [...objects(node.data.inputAnchors), ...objects(node.data.inputParams)].find(
    (one) => one.id === handle,
  );
}

/** Connects two ends that were judged to fit. */
export function connect(doc: Doc, wire: Wire): Doc {
  const [source, target] = [nodeIn(doc, wire.source), nodeIn(doc, wire.target)];
  if (!source || !target) return doc;
  const edge = isStep(source) ? stepEdge(wire, source, target) : cardEdge(wire);
  const drawn = { ...doc, edges: [...doc.edges.filter((one) => one.id !== edge.id), edge] };
  if (isStep(source)) return drawn;
  return withNode(drawn, target.id, (node) => referTo(node, wire));
}

const cardEdge = (wire: Wire): FlowEdge => ({ ...wire, type: 'buttonedge', id: idOf(wire) });

function stepEdge(wire: Wire, source: FlowNode, target: FlowNode): FlowEdge {
  const human = nameOf(source) === 'humanInputAgentflow';
  const output = wire.sourceHandle.replace(`${wire.source}-output-`, '');
  const numbered = /^\d+$/.test(output);
  const edgeLabel = human && numbered ? (output === '0' ? 'proceed' : 'reject') : numbered ? output : null;
  return {
    ...wire,
    data: {
      sourceColor: text(source.data.color) || (colourOf(nameOf(source)) ?? ''),
      targetColor: text(target.data.color) || (colourOf(nameOf(target)) ?? ''),
      ...(edgeLabel !== null ? { edgeLabel } : {}),
      isHumanInput: human,
    },
    ...(source.parentId ? { zIndex: 9999 } : {}),
    type: 'agentFlow',
    id: idOf(wire),
  };
}

/** A connection is a reference in the input it ends in; text that takes variables names it where it is wanted. */
function referTo(node: FlowNode, wire: Wire): FlowNode {
  const input = inputOf(node, wire.targetHandle);
  const name = text(input?.name);
  if (!input || !name || input.acceptVariable === true) return node;
  const now = inputsOf(node)[name];
  const one = reference(wire.source);
  if (input.list !== true) return withInputs(node, { [name]: one });
  const there = Array.isArray(now) ? (now as unknown[]) : text(now) ? [now] : [];
  return there.includes(one) ? node : withInputs(node, { [name]: [...there, one] });
}

export const withInputs = (node: FlowNode, change: Json): FlowNode =>
  withData(node, { inputs: { ...inputsOf(node), ...change } });

/** Takes connections away, and what inputs say of them. */
export function disconnect(doc: Doc, ids: ReadonlySet<string>): Doc {
  const gone = doc.edges.filter((edge) => ids.has(edge.id));
  if (gone.length === 0) return doc;
  const left: Doc = { ...doc, edges: doc.edges.filter((edge) => !ids.has(edge.id)) };
  return gone.reduce((now, edge) => withNode(now, edge.target, (node) => forget(now, node, edge)), left);
}

function forget(doc: Doc, node: FlowNode, edge: FlowEdge): FlowNode {
  const input = inputOf(node, text(edge.targetHandle));
  const name = text(input?.name);
  if (isStep(node) || !name) return node;
  // Another output of the same card may be connected to the same input.
  const still = doc.edges.some(
    (one) =>
      one.source === edge.source && one.target === edge.target && one.targetHandle === edge.targetHandle,
  );
  if (still) return node;
  const now = inputsOf(node)[name];
  const one = reference(edge.source);
  if (Array.isArray(now)) {
    const rest = (now as unknown[]).filter((value) => value !== one);
    return rest.length === now.length ? node : withInputs(node, { [name]: rest.length > 0 ? rest : '' });
  }
  if (typeof now !== 'string' || !now.includes(one)) return node;
  return withInputs(node, { [name]: input?.acceptVariable === true ? now.replaceAll(one, '') : '' });
}

/** Takes nodes away with what lies in them and what is connected to them. */
export function removeNodes(doc: Doc, ids: ReadonlySet<string>): Doc {
  const edges = doc.edges.filter((edge) => ids.has(edge.source) || ids.has(edge.target));
  const cut = disconnect(doc, new Set(edges.map((edge) => edge.id)));
  return { ...cut, nodes: cut.nodes.filter((node) => !ids.has(node.id)) };
}

/** Changes a text of the document wherever it names a node: `{{id}}`, `{{id.output.x}}`, handles, loop targets. */
export function renameIds(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (ids.size === 0) return value;
  const names = [...ids.keys()].map((id) => id.replace(/[^\w-]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![A-Za-z0-9_])(?:${names})(?![A-Za-z0-9_])`, 'g');
  const change = (one: unknown): unknown => {
    if (typeof one === 'string') return one.replace(pattern, (id) => ids.get(id) ?? id);
    if (Array.isArray(one)) return one.map(change);
    if (!isObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, change(inner)]));
  };
  return change(value);
}
