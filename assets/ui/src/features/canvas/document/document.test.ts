import { describe, expect, it } from 'vitest';
import { isObject } from '../../../core/nodes';
import { inputsOf, nodeIn, objects, readDoc, rowsOf, writeDoc, type Doc } from './doc';
import {
  addCard,
  addConnected,
  chooseOutput,
  endOf,
  insertOnEdge,
  moveInto,
  moveNodes,
  remove,
  setInput,
  setLabel,
} from './edit';
import { judge, judgeFrom, mayAdd, type End } from './rules';
import { canvasOf, cards } from './samples';
import { connect, disconnect } from './wires';

const end = (doc: Doc, id: string, place: string, side: End['side']): End => {
  const node = nodeIn(doc, id);
  const found = node && endOf(node, place, side);
  if (!found) throw new Error(`${id} has no ${place}`);
  return found;
};

/** Connects by the rules; fails with the reason. */
function wire(doc: Doc, from: string, to: string, input = ''): Doc {
  const verdict = judge(doc, end(doc, from, nodeOutput(doc, from), 'source'), end(doc, to, input, 'target'));
  if (!verdict.ok) throw new Error(verdict.why.key);
  return connect(doc, verdict.wire);
}

function nodeOutput(doc: Doc, id: string): string {
  const node = nodeIn(doc, id);
  const chosen = node && isObject(node.data.outputs) ? node.data.outputs.output : null;
  return typeof chosen === 'string' ? chosen : String(node?.data.name);
}

const why = (doc: Doc, from: End, to: End): string => {
  const verdict = judge(doc, from, to);
  return verdict.ok ? 'fits' : verdict.why.key;
};

const stored = JSON.stringify({
  nodes: [
    {
      width: 300,
      id: 'a_0',
      strange: { deep: [1, null, 'x'] },
      position: { x: 1, y: 2, z: 3 },
      positionAbsolute: { x: 1, y: 2 },
      data: { id: 'a_0', name: 'a', later: true, inputs: { text: 'é\u2028' } },
      selected: false,
    },
    { id: 'b_0', position: { x: 5, y: 5 }, data: { name: 'b' }, parentNode: 'a_0', extent: 'parent' },
  ],
  edges: [{ id: 'e', source: 'a_0', target: 'b_0', mine: { is: 'kept' }, selected: true }],
  viewport: { x: 1, y: 1, zoom: 2 },
  more: 'kept',
});

describe('a document', () => {
  it('is written as it was read', () => {
    const doc = readDoc(stored);
    expect(doc && writeDoc(doc)).toBe(stored);
  });

  it('keeps everything but the place of a card that is moved', () => {
    const doc = readDoc(stored);
    const moved = doc && writeDoc(moveNodes(doc, new Map([['a_0', { x: 11, y: 12 }]])));
    const wanted = JSON.parse(stored) as { nodes: { position: object; positionAbsolute: object }[] };
    Object.assign(wanted.nodes[0]?.position ?? {}, { x: 11, y: 12 });
    Object.assign(wanted.nodes[0]?.positionAbsolute ?? {}, { x: 11, y: 12 });
    expect(moved).toBe(JSON.stringify(wanted));
  });

  it('gives a new card the values and handles that its definition says', () => {
    const { doc, ids } = canvasOf('model', 'model', 'store');
    expect(ids).toEqual(['chatModel_0', 'chatModel_1', 'store_0']);
    const model = nodeIn(doc, 'chatModel_1');
    expect(model && inputsOf(model)).toEqual({ modelName: 'small', temperature: 0.9, cache: '' });
    expect(objects(model?.data.inputParams).map((one) => one.id)).toEqual([
      'chatModel_1-input-credential-credential',
      'chatModel_1-input-modelName-string',
      'chatModel_1-input-temperature-number',
    ]);
    expect(objects(model?.data.inputAnchors).map((one) => one.id)).toEqual([
      'chatModel_1-input-cache-BaseCache',
    ]);
    expect(objects(model?.data.outputAnchors)[0]?.id).toBe(
      'chatModel_1-output-chatModel-ChatModel|BaseChatModel|BaseLanguageModel',
    );
    expect(nodeIn(doc, 'store_0')?.data.outputs).toEqual({ output: 'retriever' });
  });

  it('names steps by number, but for Start', () => {
    const { doc } = canvasOf('start', 'llm', 'llm');
    expect(doc.nodes.map((node) => node.data.label)).toEqual(['Start', 'LLM 0', 'LLM 1']);
    expect(mayAdd(doc, cards.start)?.key).toBe('editor.no.secondStart');
  });

  it('does not give a new card the id of one that the stored canvas had', () => {
    const doc = readDoc(
      JSON.stringify({ nodes: [{ id: 'tool_0', position: { x: 0, y: 0 }, width: 9 }], edges: [] }),
    );
    if (!doc) throw new Error('not read');
    expect(addCard(remove(doc, new Set(['tool_0'])), cards.tool, { x: 0, y: 0 }).id).toBe('tool_1');
  });
});

describe('connections of cards', () => {
  it('write the reference into the input, and take it away again', () => {
    const { doc } = canvasOf('model', 'agent', 'tool', 'tool');
    let now = wire(doc, 'chatModel_0', 'agent_0', 'model');
    now = wire(wire(now, 'tool_0', 'agent_0', 'tools'), 'tool_1', 'agent_0', 'tools');
    const inputs = (): unknown => inputsOf(nodeIn(now, 'agent_0') ?? fail());
    expect(inputs()).toEqual({
      model: '{{chatModel_0.data.instance}}',
      tools: ['{{tool_0.data.instance}}', '{{tool_1.data.instance}}'],
    });
    now = remove(now, new Set(['tool_0']));
    now = disconnect(
      now,
      new Set(now.edges.filter((edge) => edge.source === 'chatModel_0').map((edge) => edge.id)),
    );
    expect(inputs()).toEqual({ model: '', tools: ['{{tool_1.data.instance}}'] });
    expect(now.edges).toHaveLength(1);
  });

  it('fit by what one gives and the other takes, with the reason why not', () => {
    const { doc } = canvasOf('model', 'model', 'chain', 'store', 'note', 'filter', 'filter');
    const model = end(doc, 'chatModel_0', 'chatModel', 'source');
    const input = end(doc, 'chain_0', 'model', 'target');
    expect(why(doc, model, input)).toBe('fits');
    expect(why(doc, input, model)).toBe('fits');
    expect(why(doc, model, end(doc, 'chain_0', 'retriever', 'target'))).toBe('editor.no.type');
    expect(why(doc, model, end(doc, 'chatModel_1', 'chatModel', 'source'))).toBe('editor.no.twoOutputs');
    expect(why(doc, model, end(doc, 'chatModel_0', 'cache', 'target'))).toBe('editor.no.self');
    const one = wire(doc, 'chatModel_0', 'chain_0', 'model');
    expect(why(one, model, input)).toBe('editor.no.twice');
    expect(why(one, end(doc, 'chatModel_1', 'chatModel', 'source'), input)).toBe('editor.no.taken');
    const row = wire(wire(doc, 'store_0', 'filter_0', 'base'), 'filter_0', 'filter_1', 'base');
    expect(why(row, end(row, 'filter_1', 'filter', 'source'), end(row, 'filter_0', 'base', 'target'))).toBe(
      'editor.no.taken',
    );
    const free = disconnect(row, new Set([row.edges[0]?.id ?? '']));
    expect(why(free, end(row, 'filter_1', 'filter', 'source'), end(row, 'filter_0', 'base', 'target'))).toBe(
      'editor.no.circle',
    );
  });

  it('are looked through once, however many ends are judged', () => {
    const { doc } = canvasOf('model', 'chain', 'chain', 'store');
    const wired = wire(doc, 'chatModel_0', 'chain_0', 'model');
    let reads = 0;
    const edges = wired.edges.map((edge) => ({
      ...edge,
      get target() {
        reads += 1;
        return edge.target;
      },
    }));
    const verdict = judgeFrom({ ...wired, edges }, end(doc, 'chatModel_0', 'chatModel', 'source'));
    reads = 0;
    const of = (to: End): string => {
      const judged = verdict(to);
      return judged.ok ? 'fits' : judged.why.key;
    };
    expect(of(end(doc, 'chain_0', 'model', 'target'))).toBe('editor.no.twice');
    expect(of(end(doc, 'chain_1', 'model', 'target'))).toBe('fits');
    expect(of(end(doc, 'chain_1', 'retriever', 'target'))).toBe('editor.no.type');
    expect(reads).toBe(0);
  });

  it('go with the output that was chosen instead', () => {
    const { doc } = canvasOf('store', 'chain');
    const now = wire(doc, 'store_0', 'chain_0', 'retriever');
    const chosen = chooseOutput(now, 'store_0', 'vectorStore');
    expect(chosen.edges).toEqual([]);
    expect(inputsOf(nodeIn(chosen, 'chain_0') ?? fail()).retriever).toBe('');
  });

  it('come with a card that is put down for them, and with one between two', () => {
    const { doc } = canvasOf('chain', 'store');
    const from = end(doc, 'chain_0', 'model', 'target');
    const added = addConnected(doc, from, cards.model, { x: 0, y: 0 });
    expect(added?.doc.edges.map((edge) => [edge.source, edge.target])).toEqual([['chatModel_0', 'chain_0']]);
    expect(addConnected(doc, from, cards.tool, { x: 0, y: 0 })).toBeNull();
    const wired = wire(doc, 'store_0', 'chain_0', 'retriever');
    const between = insertOnEdge(wired, wired.edges[0]?.id ?? '', cards.filter, { x: 0, y: 0 });
    expect(between?.doc.edges.map((edge) => [edge.source, edge.target])).toEqual([
      ['store_0', 'filter_0'],
      ['filter_0', 'chain_0'],
    ]);
    expect(inputsOf(nodeIn(between?.doc ?? doc, 'chain_0') ?? fail()).retriever).toBe(
      '{{filter_0.data.instance}}',
    );
    expect(insertOnEdge(wired, wired.edges[0]?.id ?? '', cards.tool, { x: 0, y: 0 })).toBeNull();
  });
});

describe('connections of steps', () => {
  it('have the form of Flowise', () => {
    const { doc } = canvasOf('start', 'human', 'llm');
    let now = wire(doc, 'startAgentflow_0', 'humanInputAgentflow_0');
    const reject: End = {
      node: 'humanInputAgentflow_0',
      handle: 'humanInputAgentflow_0-output-1',
      side: 'source',
    };
    const verdict = judge(now, reject, end(now, 'llmAgentflow_0', '', 'target'));
    now = verdict.ok ? connect(now, verdict.wire) : now;
    expect(now.edges).toEqual([
      {
        source: 'startAgentflow_0',
        sourceHandle: 'startAgentflow_0-output-startAgentflow',
        target: 'humanInputAgentflow_0',
        targetHandle: 'humanInputAgentflow_0',
        data: { sourceColor: '#7EE787', targetColor: '#6E6EFD', isHumanInput: false },
        type: 'agentFlow',
        id: 'startAgentflow_0-startAgentflow_0-output-startAgentflow-humanInputAgentflow_0-humanInputAgentflow_0',
      },
      {
        source: 'humanInputAgentflow_0',
        sourceHandle: 'humanInputAgentflow_0-output-1',
        target: 'llmAgentflow_0',
        targetHandle: 'llmAgentflow_0',
        data: { sourceColor: '#6E6EFD', targetColor: '#64B5F6', edgeLabel: 'reject', isHumanInput: true },
        type: 'agentFlow',
        id: 'humanInputAgentflow_0-humanInputAgentflow_0-output-1-llmAgentflow_0-llmAgentflow_0',
      },
    ]);
  });

  it('lead neither to Start, nor in a circle, nor across the border of an iteration', () => {
    const { doc } = canvasOf('start', 'llm', 'llm', 'reply', 'iteration');
    const out = end(doc, 'llmAgentflow_0', '', 'source');
    expect(why(doc, out, { node: 'startAgentflow_0', handle: 'startAgentflow_0', side: 'target' })).toBe(
      'editor.no.start',
    );
    const row = wire(wire(doc, 'startAgentflow_0', 'llmAgentflow_0'), 'llmAgentflow_0', 'llmAgentflow_1');
    expect(why(row, end(row, 'llmAgentflow_1', '', 'source'), end(row, 'llmAgentflow_0', '', 'target'))).toBe(
      'editor.no.circleOfSteps',
    );
    const inside = addCard(row, cards.llm, { x: 0, y: 0 }, 'iterationAgentflow_0');
    expect(why(inside.doc, out, end(inside.doc, inside.id, '', 'target'))).toBe('editor.no.border');
    const moved = moveInto(row, new Set(['llmAgentflow_1']), 'iterationAgentflow_0', new Map());
    expect(moved.edges).toHaveLength(1);
    expect(nodeIn(moved, 'llmAgentflow_1')).toMatchObject({
      parentId: 'iterationAgentflow_0',
      extent: 'parent',
    });
  });

  it('stay at their row when rows come, go and change places', () => {
    const { doc } = canvasOf('condition', 'llm', 'llm', 'reply');
    const id = 'conditionAgentflow_0';
    const rows = (now: Doc) => rowsOf(inputsOf(nodeIn(now, id) ?? fail()).conditions);
    const from = (now: Doc, at: number, to: string): Doc => {
      const verdict = judge(
        now,
        { node: id, handle: `${id}-output-${at}`, side: 'source' },
        end(now, to, '', 'target'),
      );
      return verdict.ok ? connect(now, verdict.wire) : now;
    };
    const two = setInput(doc, id, 'conditions', [...rows(doc), { value1: 'b' }]);
    let now = from(from(from(two, 0, 'llmAgentflow_0'), 1, 'llmAgentflow_1'), 2, 'directReplyAgentflow_0');
    const outputs = (): [string, string][] =>
      now.edges.map((edge) => [
        (edge.sourceHandle ?? '').slice(-1),
        edge.target.slice(0, 6) + edge.target.slice(-1),
      ]);
    const typed = rows(now).map((row, at) => (at === 0 ? { ...row, value1: 'typed' } : row));
    now = setInput(now, id, 'conditions', typed);
    expect(outputs()).toEqual([
      ['0', 'llmAge0'],
      ['1', 'llmAge1'],
      ['2', 'direct0'],
    ]);
    now = setInput(now, id, 'conditions', [{ value1: 'new' }, ...rows(now)]);
    expect(outputs()).toEqual([
      ['1', 'llmAge0'],
      ['2', 'llmAge1'],
      ['3', 'direct0'],
    ]);
    now = setInput(now, id, 'conditions', rows(now).toReversed());
    expect(outputs()).toEqual([
      ['1', 'llmAge0'],
      ['0', 'llmAge1'],
      ['3', 'direct0'],
    ]);
    now = setInput(now, id, 'conditions', rows(now).slice(1));
    expect(outputs()).toEqual([
      ['0', 'llmAge0'],
      ['2', 'direct0'],
    ]);
    expect(now.edges.map((edge) => isObject(edge.data) && edge.data.edgeLabel)).toEqual(['0', '2']);
    expect(objects(nodeIn(now, id)?.data.outputAnchors).map((one) => one.label)).toEqual(['0', '1', 'Else']);
  });

  it('stay at their row when the rows were kept as text', () => {
    const { doc } = canvasOf('condition', 'llm', 'reply');
    const id = 'conditionAgentflow_0';
    const rows = [{ value1: 'a' }, { value1: 'b' }, { value1: 'b' }];
    let now = setInput(doc, id, 'conditions', JSON.stringify(rows));
    for (const [at, to] of [
      [1, 'llmAgentflow_0'],
      [2, 'directReplyAgentflow_0'],
    ] as const) {
      const from: End = { node: id, handle: `${id}-output-${at}`, side: 'source' };
      const verdict = judge(now, from, end(now, to, '', 'target'));
      now = verdict.ok ? connect(now, verdict.wire) : now;
    }
    const outputs = (after: unknown): string[] =>
      setInput(now, id, 'conditions', after).edges.map((edge) => (edge.sourceHandle ?? '').slice(-1));
    expect(outputs(structuredClone([{ value1: 'new' }, ...rows]))).toEqual(['2', '3']);
    expect(outputs(structuredClone(rows.slice(1)))).toEqual(['0', '1']);
    expect(outputs(structuredClone(rows.toReversed()))).toEqual(['0', '1']);
    expect(outputs(structuredClone(rows.with(1, { value1: 'typed' })))).toEqual(['1', '2']);
  });

  it('have an output for errors while the card branches on them', () => {
    const { doc } = canvasOf('llm', 'reply');
    const id = 'llmAgentflow_0';
    const on = setInput(doc, id, 'onError', 'branch', cards.llm);
    const handle: End = { node: id, handle: `${id}-output-error`, side: 'source' };
    const verdict = judge(on, handle, end(on, 'directReplyAgentflow_0', '', 'target'));
    const wired = verdict.ok ? connect(on, verdict.wire) : on;
    expect(wired.edges).toHaveLength(1);
    const off = setInput(wired, id, 'onError', 'stop', cards.llm);
    expect(off.edges).toEqual([]);
    expect(objects(nodeIn(off, id)?.data.outputAnchors)).toHaveLength(1);
  });

  it('keep their own output when they branch and were drawn without saying it', () => {
    const { doc } = canvasOf('llm');
    const id = 'llmAgentflow_0';
    const silent = {
      ...doc,
      nodes: doc.nodes.map((node) => ({ ...node, data: { ...node.data, outputAnchors: undefined } })),
    };
    const on = setInput(silent, id, 'onError', 'branch', cards.llm);
    expect(objects(nodeIn(on, id)?.data.outputAnchors).map((one) => one.id)).toEqual([
      `${id}-output-llmAgentflow`,
      `${id}-output-error`,
    ]);
  });

  it('follow a renamed card, where a Loop goes back to it', () => {
    const { doc } = canvasOf('llm', 'loop');
    const now = setInput(doc, 'loopAgentflow_0', 'loopBackToNode', 'llmAgentflow_0-LLM 0');
    const named = setLabel(now, 'llmAgentflow_0', 'Writer');
    expect(inputsOf(nodeIn(named, 'loopAgentflow_0') ?? fail()).loopBackToNode).toBe('llmAgentflow_0-Writer');
  });
});

function fail(): never {
  throw new Error('not there');
}
