import {
  parseFlow,
  writeFlow,
  type FlowEdge,
  type FlowNode,
  type LoadedFlow,
  type Point,
} from '../../../core/flowdata';
import { isNote, isObject, type Json } from '../../../core/nodes';
import { edgeId } from './anchors';
import {
  freshId,
  isStep,
  nameOf,
  placeOnCanvas,
  withChildren,
  without,
  type CanvasKind,
  type Doc,
} from './doc';
import { isGroup } from './groups';
import { renameIds } from './wires';

/** The chosen nodes as text, in the form in which Flowise exports canvases. */
export function copyNodes(doc: Doc, ids: ReadonlySet<string>): string {
  const all = withChildren(doc, ids);
  const nodes = doc.nodes
    .filter((node) => all.has(node.id))
    .map((node) =>
      node.parentId && !all.has(node.parentId)
        ? { ...outside(node), position: placeOnCanvas(doc, node) }
        : node,
    );
  const edges = doc.edges.filter((edge) => all.has(edge.source) && all.has(edge.target));
  const top: [string, unknown][] = [
    ['nodes', []],
    ['edges', []],
  ];
  const written: unknown = JSON.parse(writeFlow(nodes, edges, { ...doc.origin, text: '', top }));
  return JSON.stringify(written, null, 2);
}

const outside = (node: FlowNode): FlowNode => without(node, 'parentId', 'extent');

export interface PasteOptions {
  /** Where the middle of what is pasted goes. */
  at: Point;
  kind: CanvasKind;
  /** Credentials that there are here; null when that is not known. */
  credentials: ReadonlySet<string> | null;
}

export type Pasted =
  | {
      ok: true;
      doc: Doc;
      ids: string[];
      /** By the ids that they had, the ids that they got. */
      renamed: ReadonlyMap<string, string>;
      droppedCredentials: number;
    }
  | { ok: false; problem: 'no-canvas' | 'empty' | 'other-kind' | 'several' };

/** The canvases in a text: one by itself, that of a record of a flow, or those of an export of many. */
function canvasesIn(text: string): LoadedFlow[] {
  const parsed = parseFlow(text);
  if (parsed.ok) return text.trim() === '' ? [] : [parsed.flow];
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return [];
  }
  const lists = isObject(read) ? [[read], ...Object.values(read)] : [read];
  return lists
    .flatMap((one): unknown[] => (Array.isArray(one) ? (one as unknown[]) : []))
    .flatMap((one) => (isObject(one) && typeof one.flowData === 'string' ? [parseFlow(one.flowData)] : []))
    .flatMap((one) => (one.ok ? [one.flow] : []));
}

/** Puts nodes from text on the canvas, with ids of their own. */
export function pasteNodes(doc: Doc, text: string, { at, kind, credentials }: PasteOptions): Pasted {
  const [flow, ...more] = canvasesIn(text);
  if (!flow) return { ok: false, problem: 'no-canvas' };
  if (more.length > 0) return { ok: false, problem: 'several' };
  const starts = doc.nodes.some((node) => nameOf(node) === 'startAgentflow');
  const wanted = flow.nodes.filter((node) => !(starts && nameOf(node) === 'startAgentflow'));
  const fitting = wanted.filter((node) => isNote(node) || isStep(node) === (kind === 'steps'));
  if (wanted.length === 0) return { ok: false, problem: 'empty' };
  if (fitting.length === 0) return { ok: false, problem: 'other-kind' };

  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const node of fitting) {
    const id = freshId(doc, nameOf(node) || node.id.replace(/_\d+$/, ''), taken);
    ids.set(node.id, id);
    taken.add(id);
  }
  const shift = shiftTo(
    fitting.filter((node) => !ids.has(node.parentId ?? '')),
    at,
  );
  const dropped = { count: 0 };
  const nodes = fitting.map((node) => {
    const inside = node.parentId !== undefined && ids.has(node.parentId);
    const known = inside ? node : outside(node);
    const position = inside ? node.position : { x: node.position.x + shift.x, y: node.position.y + shift.y };
    const data = renameIds(known.data, ids) as Json;
    return {
      ...sized(known, flow.origin.nodes.get(node.id)?.values),
      id: ids.get(node.id) ?? node.id,
      ...(inside ? { parentId: ids.get(node.parentId ?? '') ?? '' } : {}),
      position,
      data: withoutStrangers(known, withoutCredentials(data, credentials, dropped), new Set(ids.values())),
    } as FlowNode;
  });
  const edges = flow.edges
    .filter((edge) => ids.has(edge.source) && ids.has(edge.target))
    .map((edge) => {
      const wire = renameIds(edge, ids) as FlowEdge;
      const [from, to] = [wire.sourceHandle ?? '', wire.targetHandle ?? ''];
      return { ...wire, id: edgeId(wire.source, from, wire.target, to) };
    });
  const whole = nodes.flatMap((node) => ownGroup(node, new Set(ids.values())));
  return {
    ok: true,
    doc: { ...doc, nodes: [...doc.nodes, ...whole], edges: [...doc.edges, ...edges] },
    ids: whole.map((node) => node.id),
    renamed: ids,
    droppedCredentials: dropped.count,
  };
}

/** Puts nodes on the canvas once more, a little beside themselves and in the same box. */
export function duplicateNodes(
  doc: Doc,
  chosen: ReadonlySet<string>,
  by: number,
  options: Omit<PasteOptions, 'at'>,
): Pasted {
  const pasted = pasteNodes(doc, copyNodes(doc, chosen), { at: { x: 0, y: 0 }, ...options });
  if (!pasted.ok) return pasted;
  const { renamed } = pasted;
  const top = doc.nodes.filter((node) => renamed.has(node.id) && !renamed.has(node.parentId ?? ''));
  const origins = new Map(top.map((node) => [renamed.get(node.id), node]));
  const nodes = pasted.doc.nodes.map((node) => {
    const origin = origins.get(node.id);
    if (!origin) return node;
    const { parentId, extent, position } = origin;
    return {
      ...node,
      position: { ...position, x: position.x + by, y: position.y + by },
      ...(parentId === undefined ? {} : { parentId }),
      ...(extent === undefined ? {} : { extent }),
    };
  });
  return { ...pasted, doc: { ...pasted.doc, nodes } };
}

/** A group is pasted with the cards that came along; without any it says nothing. */
function ownGroup(node: FlowNode, pasted: ReadonlySet<string>): FlowNode[] {
  if (!isGroup(node)) return [node];
  const group = (node.data.group as unknown[]).filter((one) => pasted.has(String(one)));
  return group.length > 0 ? [{ ...node, data: { ...node.data, group } }] : [];
}

/** Boxes and notes have a size that belongs to them; what a card measures is found anew. */
function sized(node: FlowNode, taken: ReadonlyMap<string, unknown> | undefined): FlowNode {
  if (node.type !== 'iteration' && node.type !== 'stickyNote') return node;
  const [width, height] = [taken?.get('width'), taken?.get('height')];
  return {
    ...node,
    ...(typeof width === 'number' ? { width } : {}),
    ...(typeof height === 'number' ? { height } : {}),
  };
}

function shiftTo(nodes: readonly FlowNode[], at: Point): Point {
  const left = Math.min(...nodes.map((node) => node.position.x));
  const right = Math.max(...nodes.map((node) => node.position.x));
  const top = Math.min(...nodes.map((node) => node.position.y));
  const bottom = Math.max(...nodes.map((node) => node.position.y));
  return { x: Math.round(at.x - (left + right) / 2), y: Math.round(at.y - (top + bottom) / 2) };
}

/** References of inputs to cards that were not copied with them lead nowhere. */
function withoutStrangers(node: FlowNode, data: Json, own: ReadonlySet<string>): Json {
  if (isStep(node) || !isObject(data.inputs)) return data;
  const stays = (value: unknown): boolean => {
    const id = typeof value === 'string' ? /^\{\{([^{}]+)\.data\.instance\}\}$/.exec(value)?.[1] : undefined;
    return id === undefined || own.has(id);
  };
  const inputs = Object.entries(data.inputs).map(([name, value]) => {
    if (Array.isArray(value)) return [name, (value as unknown[]).filter(stays)];
    return [name, stays(value) ? value : ''];
  });
  return { ...data, inputs: Object.fromEntries(inputs) as Json };
}

const CREDENTIAL_KEYS = new Set(['credential', 'FLOWISE_CREDENTIAL_ID']);

/** Credentials are those of one workspace: of another one they name nothing. */
function withoutCredentials(data: Json, known: ReadonlySet<string> | null, dropped: { count: number }): Json {
  if (!known) return data;
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    if (!isObject(value)) return value;
    const lost = Object.entries(value).filter(
      ([name, inner]) =>
        CREDENTIAL_KEYS.has(name) && typeof inner === 'string' && inner !== '' && !known.has(inner),
    );
    if (lost.length > 0) dropped.count += 1;
    const gone = new Set(lost.map(([name]) => name));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, gone.has(name) ? '' : clean(inner)]),
    );
  };
  const credential = clean({ credential: data.credential }) as Json;
  return {
    ...data,
    ...('credential' in data ? credential : {}),
    ...('inputs' in data ? { inputs: clean(data.inputs) } : {}),
  };
}
