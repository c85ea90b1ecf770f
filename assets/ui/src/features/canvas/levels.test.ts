import { expect, test } from 'vitest';
import { gravest, withLevels } from './levels';
import { canvasOf } from './document/samples';

const problem = (id: string, blocks: boolean) => ({
  id,
  label: id,
  name: id,
  issues: ['Something.'],
  blocks,
});

test('a problem is an error when it keeps the flow from answering, and a hint at a card that nothing meets', () => {
  const { doc } = canvasOf('start', 'llm');
  const edge = { id: 'e', source: 'startAgentflow_0', target: 'other' };
  const drawn = { ...doc, edges: [edge] };
  const found = [
    problem('llmAgentflow_0', true),
    problem('startAgentflow_0', false),
    problem('llm_9', false),
  ];
  const leveled = withLevels([...found, problem('', false)], drawn);
  expect(leveled.map(({ level }) => level)).toEqual(['error', 'warning', 'hint', 'warning']);
  expect(gravest(leveled)).toBe('error');
  expect(gravest(leveled.slice(1))).toBe('warning');
  expect(gravest(leveled.slice(2, 3))).toBe('hint');
});
