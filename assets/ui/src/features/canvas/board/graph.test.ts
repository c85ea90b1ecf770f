import { expect, test } from 'vitest';
import { nodeIn, type Doc } from '../document/doc';
import { endOf, moveNodes, setInput, setLabel } from '../document/edit';
import { judge } from '../document/rules';
import { canvasOf } from '../document/samples';
import { connect } from '../document/wires';
import { drawingOf } from './graph';

function wire(doc: Doc, from: string, to: string): Doc {
  const [a, b] = [nodeIn(doc, from), nodeIn(doc, to)];
  const [source, target] = [a && endOf(a, '', 'source'), b && endOf(b, '', 'target')];
  const verdict = source && target && judge(doc, source, target);
  if (!verdict?.ok) throw new Error(`${from} and ${to} do not fit`);
  return connect(doc, verdict.wire);
}

test('a connection is the very same line until something about it changes', () => {
  let doc = wire(canvasOf('start', 'llm', 'loop').doc, 'startAgentflow_0', 'llmAgentflow_0');
  doc = wire(doc, 'llmAgentflow_0', 'loopAgentflow_0');
  doc = setInput(doc, 'loopAgentflow_0', 'loopBackToNode', 'llmAgentflow_0-LLM 0');
  const first = drawingOf(doc).edges;
  expect(first).toHaveLength(3);
  const typed = setInput(doc, 'llmAgentflow_0', 'llmUserMessage', 'Hi');
  const moved = moveNodes(typed, new Map([['llmAgentflow_0', { x: 5, y: 5 }]]));
  drawingOf(moved).edges.forEach((edge, at) => expect(edge).toBe(first[at]));
  const named = drawingOf(setLabel(moved, 'startAgentflow_0', 'Begin')).edges;
  expect(named[0]?.ariaLabel).toContain('Begin');
  expect(named[0]).not.toBe(first[0]);
  expect(named[1]).toBe(first[1]);
});

test('the node of a group takes no pointer where its frame is not', () => {
  const { doc } = canvasOf('llm');
  const group = {
    id: 'g',
    type: 'stickyNote',
    position: { x: 900, y: 900 },
    data: { id: 'g', name: 'stickyNoteAgentflow', group: ['llmAgentflow_0'] },
  };
  const drawn = drawingOf({ ...doc, nodes: [...doc.nodes, group] }).nodes.find(({ id }) => id === 'g');
  expect(drawn?.style).toEqual({ pointerEvents: 'none' });
});
