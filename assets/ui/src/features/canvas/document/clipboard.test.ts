import { describe, expect, it } from 'vitest';
import { isObject } from '../../../core/nodes';
import { align, distribute, nudge, tidy } from './arrange';
import { copyNodes, duplicateNodes, pasteNodes } from './clipboard';
import { emptyDoc, inputsOf, nodeIn, withData, withNode, writeDoc, type Doc } from './doc';
import { addCard, endOf, setCredential, setInput } from './edit';
import { begin, redo, step, undo } from './history';
import { loopTarget, loopTargets, offersFor } from './references';
import { replaceCard } from './replace';
import { judge } from './rules';
import { canvasOf, cards } from './samples';
import { isShown } from './shown';
import { connect } from './wires';

function wire(doc: Doc, from: string, output: string, to: string, input: string): Doc {
  const [a, b] = [nodeIn(doc, from), nodeIn(doc, to)];
  const source = a && endOf(a, output, 'source');
  const target = b && endOf(b, input, 'target');
  const verdict = source && target && judge(doc, source, target);
  if (!verdict?.ok) throw new Error(`${from} and ${to} do not fit`);
  return connect(doc, verdict.wire);
}

const at = { x: 1000, y: 1000 };

/** A card, and a box with another in it. */
function boxed(): { doc: Doc; inner: string } {
  const added = addCard(
    canvasOf('llm', 'iteration').doc,
    cards.llm,
    { x: 20, y: 80 },
    'iterationAgentflow_0',
  );
  return { doc: added.doc, inner: added.id };
}

const inputs = (doc: Doc, id: string) => {
  const node = nodeIn(doc, id);
  if (!node) throw new Error(`no ${id}`);
  return inputsOf(node);
};

describe('copy and paste', () => {
  it('keeps what is between the copied cards, under ids of their own', () => {
    const { doc } = canvasOf('model', 'agent', 'tool');
    const wired = wire(
      wire(doc, 'chatModel_0', 'chatModel', 'agent_0', 'model'),
      'tool_0',
      'tool',
      'agent_0',
      'tools',
    );
    const copied = copyNodes(wired, new Set(['agent_0', 'tool_0']));
    const pasted = pasteNodes(wired, copied, { at, kind: 'cards', credentials: null });
    if (!pasted.ok) throw new Error(pasted.problem);
    expect(pasted.ids).toEqual(['agent_1', 'tool_1']);
    expect(inputs(pasted.doc, 'agent_1')).toEqual({ model: '', tools: ['{{tool_1.data.instance}}'] });
    expect(pasted.doc.edges.at(-1)).toMatchObject({
      source: 'tool_1',
      target: 'agent_1',
      sourceHandle: 'tool_1-output-tool-SomeTool|Tool',
      targetHandle: 'agent_1-input-tools-Tool',
      id: 'tool_1-tool_1-output-tool-SomeTool|Tool-agent_1-agent_1-input-tools-Tool',
    });
    expect(inputs(pasted.doc, 'agent_0')).toEqual(inputs(wired, 'agent_0'));
  });

  it('carries texts that name other steps, what lies in a box, and no second Start', () => {
    const { doc } = canvasOf('start', 'llm', 'iteration');
    const inner = addCard(doc, cards.llm, { x: 20, y: 80 }, 'iterationAgentflow_0');
    const told = setInput(
      inner.doc,
      inner.id,
      'llmUserMessage',
      'See {{ llmAgentflow_0.output.x }} {{llmAgentflow_01}}',
    );
    const copied = copyNodes(told, new Set(['startAgentflow_0', 'llmAgentflow_0', 'iterationAgentflow_0']));
    const pasted = pasteNodes(told, copied, { at, kind: 'steps', credentials: null });
    if (!pasted.ok) throw new Error(pasted.problem);
    expect(pasted.ids).toEqual(['llmAgentflow_2', 'iterationAgentflow_1', 'llmAgentflow_3']);
    expect(nodeIn(pasted.doc, 'llmAgentflow_3')).toMatchObject({
      parentId: 'iterationAgentflow_1',
      position: { x: 20, y: 80 },
    });
    expect(inputs(pasted.doc, 'llmAgentflow_3').llmUserMessage).toBe(
      'See {{ llmAgentflow_2.output.x }} {{llmAgentflow_01}}',
    );
    expect(nodeIn(pasted.doc, 'iterationAgentflow_1')).toMatchObject({ width: 460, height: 260 });
  });

  it('keeps how cards lie to one another, whether their box was copied or not', () => {
    const { doc, inner } = boxed();
    const copied = copyNodes(doc, new Set([inner, 'llmAgentflow_0']));
    const pasted = pasteNodes(doc, copied, { at, kind: 'steps', credentials: null });
    if (!pasted.ok) throw new Error(pasted.problem);
    const [outer, loose] = pasted.ids.map((id) => nodeIn(pasted.doc, id)?.position ?? at);
    expect((loose?.x ?? 0) - (outer?.x ?? 0)).toBe(320);
    expect((loose?.y ?? 0) - (outer?.y ?? 0)).toBe(80);
  });

  it('duplicates a card into the box that it lies in, and a box with what lies in it', () => {
    const { doc, inner } = boxed();
    const of = (ids: string[]) => {
      const made = duplicateNodes(doc, new Set(ids), 40, { kind: 'steps', credentials: null });
      if (!made.ok) throw new Error(made.problem);
      return made.ids.map((id) => nodeIn(made.doc, id));
    };
    expect(of([inner])).toMatchObject([
      { parentId: 'iterationAgentflow_0', extent: 'parent', position: { x: 60, y: 120 } },
    ]);
    expect(of(['iterationAgentflow_0', inner])).toMatchObject([
      { id: 'iterationAgentflow_1', position: { x: 340, y: 40 } },
      { parentId: 'iterationAgentflow_1', position: { x: 20, y: 80 } },
    ]);
  });

  it('drops credentials that are not there, and says how many', () => {
    const { doc } = canvasOf('model');
    const keyed = setCredential(doc, 'chatModel_0', 'known');
    const copied = copyNodes(setCredential(keyed, 'chatModel_0', 'strange'), new Set(['chatModel_0']));
    const pasted = pasteNodes(doc, copied, { at, kind: 'cards', credentials: new Set(['known']) });
    expect(pasted).toMatchObject({ ok: true, droppedCredentials: 1 });
    expect(pasted.ok && nodeIn(pasted.doc, 'chatModel_1')?.data.credential).toBe('');
  });

  it('refuses what is no canvas, or one of the other kind', () => {
    const { doc } = canvasOf('model');
    const paste = (text: string) => pasteNodes(doc, text, { at, kind: 'cards', credentials: null });
    expect(paste('hello')).toEqual({ ok: false, problem: 'no-canvas' });
    expect(paste('{"nodes":[],"edges":[]}')).toEqual({ ok: false, problem: 'empty' });
    const steps = canvasOf('llm').doc;
    expect(paste(copyNodes(steps, new Set(['llmAgentflow_0'])))).toEqual({
      ok: false,
      problem: 'other-kind',
    });
  });
});

describe('a replaced card', () => {
  it('keeps the values and connections that fit, and counts the others', () => {
    const { doc } = canvasOf('model', 'chain', 'chain');
    const told = setCredential(setInput(doc, 'chatModel_0', 'temperature', '0.1'), 'chatModel_0', 'key');
    const wired = wire(told, 'chatModel_0', 'chatModel', 'chain_0', 'model');
    const replaced = replaceCard(wired, 'chatModel_0', cards.otherModel);
    expect(replaced).toMatchObject({ id: 'otherModel_0', lost: 0 });
    expect(inputs(replaced?.doc ?? doc, 'otherModel_0')).toEqual({ temperature: '0.1' });
    expect(nodeIn(replaced?.doc ?? doc, 'otherModel_0')?.data.credential).toBeUndefined();
    expect(inputs(replaced?.doc ?? doc, 'chain_0').model).toBe('{{otherModel_0.data.instance}}');
    expect(replaceCard(wired, 'chatModel_0', cards.tool)?.lost).toBe(1);
    expect(replaceCard(wired, 'chatModel_0', cards.llm)).toBeNull();
  });

  it('that was a box leaves what lay in it on the canvas, connected as it was', () => {
    const { doc } = canvasOf('start', 'iteration');
    const first = addCard(doc, cards.llm, { x: 20, y: 80 }, 'iterationAgentflow_0');
    const second = addCard(first.doc, cards.llm, { x: 200, y: 80 }, 'iterationAgentflow_0');
    const wired = wire(second.doc, first.id, '', second.id, '');
    const replaced = replaceCard(wired, 'iterationAgentflow_0', cards.reply);
    const left = replaced && nodeIn(replaced.doc, second.id);
    expect(left).toMatchObject({ position: { x: 500, y: 80 } });
    expect(left).not.toHaveProperty('parentId');
    expect(replaced?.doc.edges).toHaveLength(1);
  });
});

describe('history', () => {
  it('undoes step by step and merges a burst of one kind', () => {
    let now = begin('a');
    now = step(now, 'b', 'type x', 0);
    now = step(now, 'c', 'type x', 500);
    now = step(now, 'd', null, 600);
    now = step(now, 'e', 'type x', 700);
    now = step(now, 'f', 'type x', 5000);
    const seen = [];
    for (let one = now; seen.at(-1) !== 'a'; one = undo(one)) seen.push(one.present);
    expect(seen).toEqual(['f', 'e', 'd', 'c', 'a']);
    expect(redo(undo(now)).present).toBe('f');
    expect(step(undo(now), 'g', null, 9000).future).toEqual([]);
  });

  it('keeps a hundred steps', () => {
    let now = begin(0);
    for (let at = 1; at <= 150; at += 1) now = step(now, at, null, at);
    for (let at = 0; at < 200; at += 1) now = undo(now);
    expect(now.present).toBe(50);
  });
});

describe('arranging', () => {
  const sizes = new Map([
    ['chatModel_0', { width: 100, height: 50 }],
    ['chain_0', { width: 200, height: 100 }],
    ['tool_0', { width: 100, height: 50 }],
  ]);
  const all = new Set(['chatModel_0', 'chain_0', 'tool_0']);

  it('aligns edges and middles, and spreads evenly', () => {
    const { doc } = canvasOf('model', 'chain', 'tool');
    const xs = (now: Doc): number[] => now.nodes.map((node) => node.position.x);
    expect(xs(align(doc, all, 'left', sizes))).toEqual([0, 0, 0]);
    expect(xs(align(doc, all, 'right', sizes))).toEqual([600, 500, 600]);
    expect(xs(align(doc, all, 'centre', sizes))).toEqual([300, 250, 300]);
    const moved = withNode(doc, 'chain_0', (node) => ({ ...node, position: { x: 120, y: 0 } }));
    expect(xs(distribute(moved, all, 'x', sizes))).toEqual([0, 250, 600]);
  });

  it('takes what lies in a box along with it, and no further', () => {
    const { doc, inner } = boxed();
    const moved = nudge(doc, new Set(['iterationAgentflow_0', inner]), { x: 20, y: 0 });
    expect(nodeIn(moved, 'iterationAgentflow_0')?.position).toEqual({ x: 320, y: 0 });
    expect(nodeIn(moved, inner)?.position).toEqual({ x: 20, y: 80 });
  });

  it('compares no place in a box with one outside of it', () => {
    const { doc, inner } = boxed();
    const second = addCard(doc, cards.llm, { x: 200, y: 120 }, 'iterationAgentflow_0');
    const ids = new Set([...canvasOf('llm', 'iteration').ids, inner, second.id]);
    expect(nodeIn(align(second.doc, ids, 'left', new Map()), inner)?.position.x).toBe(20);
    const loose = new Set(['llmAgentflow_0', inner, second.id]);
    const aligned = align(second.doc, loose, 'top', new Map());
    expect(aligned.nodes.map((node) => node.position.y)).toEqual([0, 0, 80, 80]);
    expect(distribute(second.doc, loose, 'x', new Map())).toBe(second.doc);
  });

  it('lays out along connections, boxes around what lies in them', async () => {
    const { doc } = canvasOf('start', 'iteration', 'reply');
    const inner = addCard(doc, cards.llm, { x: 900, y: 900 }, 'iterationAgentflow_0');
    let wired = wire(inner.doc, 'startAgentflow_0', '', 'iterationAgentflow_0', '');
    wired = wire(wired, 'iterationAgentflow_0', '', 'directReplyAgentflow_0', '');
    const done = await tidy(wired, new Map([[inner.id, { width: 200, height: 60 }]]));
    const x = (id: string): number => nodeIn(done, id)?.position.x ?? Number.NaN;
    expect(x('startAgentflow_0')).toBeLessThan(x('iterationAgentflow_0'));
    expect(x('iterationAgentflow_0') + 280).toBeLessThan(x('directReplyAgentflow_0'));
    expect(nodeIn(done, inner.id)?.position).toEqual({ x: 40, y: 80 });
    expect(nodeIn(done, 'iterationAgentflow_0')).toMatchObject({ width: 280, style: { width: 280 } });
  });
});

describe('inputs that depend on others', () => {
  it('follow values, lists, patterns and rows', () => {
    expect(isShown({}, {})).toBe(true);
    expect(isShown({ show: { kind: 'a' } }, { kind: 'a' })).toBe(true);
    expect(isShown({ show: { kind: ['b', 'a'] } }, { kind: 'a' })).toBe(true);
    expect(isShown({ show: { kind: '.+' } }, { kind: '' })).toBe(false);
    expect(isShown({ show: { kind: '.+' } }, { kind: 'x' })).toBe(true);
    expect(isShown({ show: { on: true } }, { on: '' })).toBe(false);
    expect(isShown({ show: { on: false } }, {})).toBe(true);
    expect(isShown({ hide: { kind: 'a' } }, { kind: 'a' })).toBe(false);
    const rows = { rows: [{ type: 'x' }, { type: 'y' }] };
    expect([0, 1].map((row) => isShown({ show: { 'rows[$index].type': 'y' } }, rows, row))).toEqual([
      false,
      true,
    ]);
  });
});

describe('what other programs export', () => {
  const { doc } = canvasOf('model', 'tool');
  const flowData = writeDoc(doc);
  const paste = (text: string) =>
    pasteNodes(emptyDoc(), text, { at: { x: 0, y: 0 }, kind: 'cards', credentials: null });

  it('is pasted as a canvas, as the record of a flow, and as an export that holds one flow', () => {
    const record = { name: 'A', type: 'CHATFLOW', flowData };
    for (const text of [
      flowData,
      JSON.stringify(record),
      JSON.stringify([record]),
      JSON.stringify({ ChatFlow: [record], Tool: [] }),
    ]) {
      const pasted = paste(text);
      expect(pasted.ok && pasted.doc.nodes.map((node) => node.id)).toEqual(['chatModel_0', 'tool_0']);
    }
  });

  it('is refused with its reason where it holds several flows, or none', () => {
    const record = { name: 'A', flowData };
    expect(paste(JSON.stringify({ ChatFlow: [record], AgentFlow: [record] }))).toEqual({
      ok: false,
      problem: 'several',
    });
    expect(paste('[1, 2]')).toEqual({ ok: false, problem: 'no-canvas' });
    expect(paste('{"a": ')).toEqual({ ok: false, problem: 'no-canvas' });
  });
});

describe('what a text can name', () => {
  it('is what came before, the state, the form and the variables', () => {
    const { doc } = canvasOf('start', 'llm', 'llm', 'loop');
    let now = setInput(doc, 'startAgentflow_0', 'startState', [{ key: 'topic', value: '' }]);
    now = setInput(now, 'startAgentflow_0', 'startInputType', 'formInput');
    now = setInput(now, 'startAgentflow_0', 'formInputTypes', [{ name: 'email' }]);
    now = setInput(now, 'llmAgentflow_0', 'llmStructuredOutput', [{ key: 'mood' }]);
    now = wire(now, 'startAgentflow_0', '', 'llmAgentflow_0', '');
    now = wire(now, 'llmAgentflow_0', '', 'llmAgentflow_1', '');
    now = wire(now, 'llmAgentflow_1', '', 'loopAgentflow_0', '');
    const texts = offersFor(now, 'llmAgentflow_1', 'steps', ['company'], false).map((one) => one.text);
    expect(texts.slice(0, 4)).toEqual([
      '{{llmAgentflow_0}}',
      '{{llmAgentflow_0.output.mood}}',
      '{{$flow.state.topic}}',
      '{{$form.email}}',
    ]);
    expect(texts).toContain('{{$vars.company}}');
    expect(texts).not.toContain('{{llmAgentflow_1}}');
    const targets = loopTargets(now, 'loopAgentflow_0');
    expect(targets.map((one) => one.value)).toEqual(['llmAgentflow_0-LLM 0', 'llmAgentflow_1-LLM 1']);
    now = setInput(now, 'loopAgentflow_0', 'loopBackToNode', 'llmAgentflow_0-LLM 0');
    const loop = nodeIn(now, 'loopAgentflow_0');
    expect(loop && loopTarget(now, loop)).toBe('llmAgentflow_0');
  });
});

it('keeps data of a card that nobody knows', () => {
  const { doc } = canvasOf('tool');
  const strange = withNode(doc, 'tool_0', (node) => withData(node, { mine: { a: 1 } }));
  const set = setInput(strange, 'tool_0', 'x', 1);
  const data = nodeIn(set, 'tool_0')?.data;
  expect(isObject(data) && data.mine).toEqual({ a: 1 });
});
