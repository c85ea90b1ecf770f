import { expect, test } from 'vitest';
import { drawingOf } from '../board/graph';
import type { End } from '../document/rules';
import { canvasOf } from '../document/samples';
import { endsOf, refusalOf } from './useLinking';

function why(from: string, side: End['side'], to: string): string {
  const { doc } = canvasOf('model', 'chain', 'tool', 'note', 'start', 'llm', 'reply');
  const { nodes } = drawingOf(doc);
  const node = (id: string) => nodes.find((one) => one.id === id);
  const [own, other] = [node(from), node(to)];
  const end = own && endsOf(own).find((one) => one.side === side);
  if (!end || !other) throw new Error('That is not on the canvas.');
  return refusalOf(doc, end, other).key;
}

test('a card that was meant, and no end of it, is refused with its reason', () => {
  expect(why('chatModel_0', 'source', 'stickyNote_0')).toBe('editor.no.note');
  expect(why('chatModel_0', 'source', 'chatModel_0')).toBe('editor.no.self');
  expect(why('chatModel_0', 'source', 'tool_0')).toBe('editor.no.input');
  expect(why('tool_0', 'source', 'chain_0')).toBe('editor.no.nothingFits');
  expect(why('llmAgentflow_0', 'source', 'startAgentflow_0')).toBe('editor.no.start');
  expect(why('llmAgentflow_0', 'target', 'directReplyAgentflow_0')).toBe('editor.no.end');
  expect(why('llmAgentflow_0', 'source', 'chatModel_0')).toBe('editor.no.otherKind');
});
