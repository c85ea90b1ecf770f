import { expect, test } from 'vitest';
import { cardsTold, type AnswerTold } from './cards';

const card = (id: string, category: string, label: string, inputs: object = {}): object => ({
  id,
  position: { x: 0, y: 0 },
  data: { id, name: id.replace(/_.*/, ''), label, category, inputs },
});
const wire = (source: string, target: string, input: string): object => ({
  id: `${source} ${target}`,
  source,
  target,
  targetHandle: `${target}-input-${input}-X`,
});

const canvas = JSON.stringify({
  nodes: [
    card('chatScripted_0', 'Chat Models', 'Scripted'),
    card('embed_0', 'Embeddings', 'Vectors'),
    card('memoryStore_0', 'Vector Stores', 'Passages'),
    card('calculator_0', 'Tools', 'Calculator'),
    card('retrieverTool_0', 'Tools', 'Retriever tool', { name: 'search_help' }),
    card('toolAgent_0', 'Agents', 'Agent'),
    card('other_0', 'Tools', 'Nobody asks it'),
  ],
  edges: [
    wire('chatScripted_0', 'toolAgent_0', 'model'),
    wire('embed_0', 'memoryStore_0', 'embeddings'),
    wire('memoryStore_0', 'retrieverTool_0', 'retriever'),
    wire('calculator_0', 'toolAgent_0', 'tools'),
    wire('retrieverTool_0', 'toolAgent_0', 'tools'),
  ],
});

const told = (more: Partial<AnswerTold>): [Record<string, string>, Record<string, string>] => {
  const base: AnswerTold = {
    state: 'waiting',
    tools: [],
    sources: [],
    team: [],
    failure: null,
    speaks: false,
  };
  const { states, errors } = cardsTold(canvas, { ...base, ...more });
  return [Object.fromEntries(states), Object.fromEntries(errors)];
};
const used = (tool: string, error: string | null = null) => ({ tool, toolInput: {}, toolOutput: '', error });

test('while a question is under way the card that answers runs, and its model once something was said', () => {
  expect(told({})).toEqual([{ toolAgent_0: 'running' }, {}]);
  expect(told({ state: 'streaming', speaks: true })[0]).toEqual({
    toolAgent_0: 'running',
    chatScripted_0: 'running',
  });
});

test('an answer leaves the tools alone that it did not call', () => {
  const [states] = told({ state: 'done', speaks: true, tools: [used('calculator')] });
  expect(states).toEqual({ toolAgent_0: 'finished', chatScripted_0: 'finished', calculator_0: 'finished' });
});

test('a tool is found by the name that the model calls it by, and its failure stands at its card', () => {
  const sources = [{ text: 'a', metadata: [] }];
  const [states, errors] = told({
    state: 'done',
    speaks: true,
    sources,
    tools: [used('search_help', 'It is away.')],
  });
  expect(states).toMatchObject({ retrieverTool_0: 'error', memoryStore_0: 'finished' });
  expect(states).not.toHaveProperty('calculator_0');
  expect(errors).toEqual({ retrieverTool_0: 'It is away.' });
});

test('a failure stands at the card that it names, and else at the one that answers', () => {
  const failure = { status: 500, message: 'Scripted: the provider is down.', retryAfter: null };
  expect(told({ state: 'failed', failure })).toEqual([
    { chatScripted_0: 'error' },
    { chatScripted_0: failure.message },
  ]);
  const other = { ...failure, message: 'The service stops.' };
  expect(told({ state: 'failed', failure: other })[0]).toEqual({ toolAgent_0: 'error' });
});

test('a stopped answer says so at the card, and a canvas without an end tells of nothing', () => {
  expect(told({ state: 'stopped' })[0]).toEqual({ toolAgent_0: 'stopped' });
  const base: AnswerTold = { state: 'done', tools: [], sources: [], team: [], failure: null, speaks: true };
  expect(cardsTold('{"nodes":[],"edges":[]}', base).states.size).toBe(0);
  expect(cardsTold('no canvas', base).states.size).toBe(0);
});

test('of a team those are marked that worked, each as it ended', () => {
  const specialist = (name: string): object =>
    card(`harnessSpecialist_${name}`, 'Harness', 'Specialist', { specialistName: name });
  const team = JSON.stringify({
    nodes: [card('harnessTeam_0', 'Harness', 'Team'), ...['law', 'tax', 'idle', 'slow'].map(specialist)],
    edges: ['law', 'tax', 'idle', 'slow'].map((name) =>
      wire(`harnessSpecialist_${name}`, 'harnessTeam_0', 'specialists'),
    ),
  });
  const started = ['law', 'tax', 'slow'].map((name) => ({ name, status: 'started', task: 'Look' }));
  const ended = [
    { name: 'law', status: 'completed', ms: 1 },
    { name: 'tax', status: 'failed', ms: 1, error: 'No key.' },
  ];
  const base: AnswerTold = {
    state: 'streaming',
    tools: [],
    sources: [],
    team: [...started, ...ended],
    failure: null,
    speaks: true,
  };
  const running = cardsTold(team, base);
  expect(Object.fromEntries(running.states)).toEqual({
    harnessTeam_0: 'running',
    harnessSpecialist_law: 'finished',
    harnessSpecialist_tax: 'error',
    harnessSpecialist_slow: 'running',
  });
  expect(running.errors.get('harnessSpecialist_tax')).toBe('No key.');
  const over = cardsTold(team, { ...base, state: 'stopped' }).states;
  expect(over.get('harnessSpecialist_slow')).toBe('stopped');
  expect(over.has('harnessSpecialist_idle')).toBe(false);
});
