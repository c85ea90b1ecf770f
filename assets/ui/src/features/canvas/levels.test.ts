import { expect, test } from 'vitest';
import { byNode, countProblems, gravest, withLevels } from './levels';
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

test('a connection to a place that its card has lost is told beside what the service says', () => {
  const doc = canvasOf('model', 'chain').doc;
  const edge = {
    source: 'chatModel_0',
    sourceHandle: 'chatModel_0-output-chatModel-ChatModel',
    target: 'chain_0',
  };
  const drawn = {
    ...doc,
    edges: [
      { ...edge, id: 'a', targetHandle: 'chain_0-input-brain-Brain' },
      { ...edge, id: 'b', source: 'ghost_0', targetHandle: 'chain_0-input-model-BaseChatModel' },
      { ...edge, id: 'c', target: 'ghost_1' },
      { ...edge, id: 'd', source: 'ghost_0', target: 'ghost_1' },
      { ...edge, id: 'e', targetHandle: 'chain_0-input-model-BaseChatModel' },
    ],
  };
  const problems = withLevels([problem('chain_0', true)], drawn);
  expect(problems.map(({ id, level, lost }) => [id, level, lost.map((one) => one.edge)])).toEqual([
    ['chain_0', 'error', ['a', 'b']],
    ['chatModel_0', 'warning', ['c']],
    ['', 'warning', ['d']],
  ]);
  expect(countProblems(problems)).toBe(5);
  expect(byNode(problems).get('chain_0')?.issues).toEqual([
    'Something.',
    'The connection from Chat Model leads to “brain”, which the card has no more: nothing comes through it.',
    'A connection comes from ghost_0, which is no longer on the canvas.',
  ]);
});

test('what the service says of a missing card is not said twice', () => {
  const { doc } = canvasOf('llm');
  const said = "A connection leads from 'ghost_0' to 'llmAgentflow_0', and one of them is missing.";
  const edge = { id: 'e', source: 'ghost_0', target: 'llmAgentflow_0' };
  const of = (id: string, blocks: boolean) =>
    withLevels([{ ...problem(id, blocks), issues: [said], lost: [{ edge: 'e', issue: said }] }], {
      ...doc,
      edges: [edge],
    });
  // Of the canvas as a whole, or of the card; what keeps the flow from answering stays an error.
  expect(of('', false)).toMatchObject([{ id: 'llmAgentflow_0', level: 'warning', issues: [] }]);
  expect(of('llmAgentflow_0', true)).toMatchObject([{ level: 'error', issues: [], lost: [{ edge: 'e' }] }]);
});

test('what the service says of a connection that the page does not find lost is kept', () => {
  const { doc } = canvasOf('llm');
  const said = {
    ...problem('llmAgentflow_0', true),
    issues: ['Lost.'],
    lost: [{ edge: '', issue: 'Lost.' }],
  };
  expect(withLevels([said], doc)).toMatchObject([{ level: 'error', issues: ['Lost.'], lost: [] }]);
});

test('what the service says of a lost output is not said twice', () => {
  const { doc } = canvasOf('start', 'llm');
  const said = 'A connection leaves it by output 7, which it does not have: nothing goes that way.';
  const edge = {
    id: 'e',
    source: 'llmAgentflow_0',
    sourceHandle: 'llmAgentflow_0-output-7',
    target: 'startAgentflow_0',
  };
  const found = [
    {
      ...problem('llmAgentflow_0', false),
      issues: [said, 'Another thing.'],
      lost: [{ edge: 'e', issue: said }],
    },
  ];
  const [one] = withLevels(found, { ...doc, edges: [{ ...edge, targetHandle: 'startAgentflow_0' }] });
  expect(one?.lost.map(({ text }) => text)).toEqual([
    'The connection to Start begins at “7”, which the card has no more: nothing goes through it.',
  ]);
  expect(one?.issues).toEqual(['Another thing.']);
  const whole = {
    ...edge,
    sourceHandle: 'llmAgentflow_0-output-llmAgentflow',
    targetHandle: 'startAgentflow_0',
  };
  expect(withLevels(found, { ...doc, edges: [whole] })[0]?.issues).toHaveLength(2);
});
