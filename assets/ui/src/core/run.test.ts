import { describe, expect, it } from 'vitest';
import { decisionFor, decisionOf } from './decision';
import {
  entriesOf,
  flat,
  newestOf,
  nodeErrors,
  nodeStates,
  noRun,
  stepsOf,
  tokensOfAll,
  underWay,
  withRunEvent,
  type LiveRun,
} from './run';

interface Told {
  status?: string;
  item?: number;
  parent?: string;
  data?: object;
  previous?: string[];
}

const entry = (
  nodeId: string,
  { status = 'FINISHED', item, parent, data = {}, previous = [] }: Told = {},
) => ({
  nodeId,
  nodeLabel: `Step ${nodeId}`,
  status,
  previousNodeIds: previous,
  data: {
    name: 'llmAgentflow',
    ...(item === undefined
      ? {}
      : { iterationIndex: item, parentNodeId: parent, iterationContext: { value: `item ${item}` } }),
    ...data,
  },
});
const recorded = (...entries: object[]): LiveRun => ({ ...noRun, entries: entriesOf(entries) });
const next = (nodeId: string, status: string, more = {}) => ({
  event: 'nextAgentFlow',
  data: { nodeId, nodeLabel: `Step ${nodeId}`, status, ...more },
});
const looks = (run: LiveRun, over = false) =>
  stepsOf(run, over).map((step) => [step.label, step.state] as const);

describe('a run', () => {
  it('reads what a step was given, sent, used and made', () => {
    const output = {
      content: 'It is 42.',
      timeMetadata: { start: 100, end: 140, delta: 40 },
      usageMetadata: { input_tokens: 3, output_tokens: 2 },
      usedTools: [{ tool: 'calculator', toolInput: { input: '6*7' }, toolOutput: '42' }],
      sourceDocuments: [{ pageContent: 'A chunk', metadata: { source: 'a.txt' } }],
      reasonContent: { thinking: 'Six times seven.', thinkingDuration: 5 },
      iterationResults: ['a'],
      somethingNew: { kept: true },
    };
    const input = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], temperature: 1 };
    const [step] = stepsOf(recorded(entry('a', { data: { input, output, attempts: 2 } })), true);
    expect(step).toMatchObject({
      state: 'finished',
      start: 100,
      end: 140,
      ms: 40,
      tokens: { read: 3, written: 2 },
      text: 'It is 42.',
      messages: [{ role: 'user', content: 'Hi' }],
      input: { temperature: 1 },
      output: { iterationResults: ['a'], somethingNew: { kept: true } },
      tools: [{ tool: 'calculator', toolOutput: '42', error: null }],
      sources: [{ text: 'A chunk', metadata: [['source', 'a.txt']] }],
      thoughts: { text: 'Six times seven.', ms: 5000 },
      attempts: 2,
    });
  });

  it('stands reasoning without a time, and without words', () => {
    const thoughts = (reasonContent: unknown) =>
      stepsOf(recorded(entry('a', { data: { output: { reasonContent } } })), true)[0]?.thoughts;
    expect(thoughts({ thinking: 'Hm' })).toEqual({ text: 'Hm', ms: null });
    expect([thoughts({ thinking: '' }), thoughts({}), thoughts(undefined)]).toEqual([null, null, null]);
  });

  it('leaves out what is no entry, and stands unknown states and shapes', () => {
    const odd = [
      null,
      4,
      { nodeLabel: 'No id' },
      { nodeId: 'x', data: 7, status: 'ODD', previousNodeIds: [1, 'a'] },
    ];
    expect(entriesOf('nothing')).toEqual([]);
    const steps = stepsOf({ ...noRun, entries: entriesOf(odd) }, true);
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ label: 'x', state: 'finished', previous: ['a'], ms: null, tools: [] });
  });

  it('puts what ran for items into their iteration, in the order of the items', () => {
    const run = recorded(
      entry('start'),
      entry('in', { item: 1, parent: 'each' }),
      entry('in', { item: 0, parent: 'each' }),
      entry('then', { item: 0, parent: 'each', status: 'ERROR' }),
      entry('each'),
    );
    const [, each] = stepsOf(run, true);
    expect(each?.rounds.map(({ index, value, steps }) => [index, value, steps.length])).toEqual([
      [0, 'item 0', 2],
      [1, 'item 1', 1],
    ]);
    expect(flat(stepsOf(run, true)).map(({ nodeId }) => nodeId)).toEqual([
      'start',
      'in',
      'then',
      'in',
      'each',
    ]);
    expect(nodeStates(stepsOf(run, true))).toEqual(
      new Map([
        ['start', 'finished'],
        ['in', 'finished'],
        ['then', 'error'],
        ['each', 'finished'],
      ]),
    );
  });

  it('keeps iterations inside of iterations', () => {
    const run = recorded(
      entry('deep', { item: 0, parent: 'inner' }),
      entry('inner', { item: 2, parent: 'outer' }),
      entry('outer'),
    );
    const [outer] = stepsOf(run, true);
    expect(outer?.rounds[0]?.steps[0]?.rounds[0]?.steps[0]?.nodeId).toBe('deep');
  });

  it('shows items of an iteration whose own entry never came', () => {
    const run = recorded(entry('in', { item: 0, parent: 'each' }));
    expect(looks(run)).toEqual([['each', 'running']]);
    expect(looks(run, true)).toEqual([['each', 'stopped']]);
  });

  it('follows its stream: steps begin, end, and get their entries under the same key', () => {
    const begun = [next('a', 'INPROGRESS'), next('b', 'INPROGRESS')].reduce(withRunEvent, noRun);
    expect(looks(begun)).toEqual([
      ['Step a', 'running'],
      ['Step b', 'running'],
    ]);
    const failed = withRunEvent(begun, next('b', 'ERROR', { error: 'No model.' }));
    expect(stepsOf(failed, false).find(({ nodeId }) => nodeId === 'b')).toMatchObject({
      state: 'error',
      error: 'No model.',
    });
    const told = withRunEvent(failed, {
      event: 'agentFlowExecutedData',
      data: [entry('b', { status: 'ERROR', data: { error: 'No model.' } })],
    });
    expect(looks(told)).toEqual([
      ['Step b', 'error'],
      ['Step a', 'running'],
    ]);
    expect(newestOf(stepsOf(begun, false), 'b')?.key).toBe(newestOf(stepsOf(told, false), 'b')?.key);
    expect(looks(told, true)[1]).toEqual(['Step a', 'stopped']);
    expect(withRunEvent(told, { event: 'token', data: 'x' })).toBe(told);
    expect(withRunEvent(told, { event: 'nextAgentFlow', data: 'odd' })).toBe(told);
  });

  it('waits at a step until a later entry of it answers', () => {
    const waiting = recorded(entry('ask', { status: 'STOPPED' }));
    expect(looks(waiting)).toEqual([['Step ask', 'waiting']]);
    expect(looks(waiting, true)).toEqual([['Step ask', 'stopped']]);
    expect(looks(recorded(entry('ask', { status: 'STOPPED' }), entry('ask')))).toEqual([
      ['Step ask', 'finished'],
      ['Step ask', 'finished'],
    ]);
  });

  it('counts the tokens of all steps once', () => {
    const usage = (read: number) => ({
      data: { output: { usageMetadata: { input_tokens: read, output_tokens: 1 } } },
    });
    const run = recorded(
      entry('a', usage(2)),
      entry('in', { item: 0, parent: 'each', ...usage(3) }),
      entry('each', usage(3)),
    );
    expect(tokensOfAll(stepsOf(run, true))).toEqual({ read: 5, written: 2 });
    expect(tokensOfAll(stepsOf(recorded(entry('a')), true))).toBeNull();
  });
});

describe('the cards of a chat canvas', () => {
  const card = (nodeId: string, status: string, data?: object) => ({
    event: 'cardEvent',
    data: { nodeId, nodeLabel: `Card ${nodeId}`, status, ...(data && { data }) },
  });
  const timed = (start: number, end: number, more = {}) => ({
    timeMetadata: { start, end, delta: end - start },
    ...more,
  });
  const begin = (nodeId: string) => card(nodeId, 'INPROGRESS');
  const told = (...events: { event: string; data: unknown }[]): LiveRun => events.reduce(withRunEvent, noRun);

  it('are steps in the order in which they began, each time that they run', () => {
    const asked = { role: 'user', content: '6 times 7?' };
    const run = told(
      begin('agent'),
      begin('model'),
      card('model', 'FINISHED', {
        name: 'chatScripted',
        input: { messages: [{ role: 'system', content: 'Count.' }, asked] },
        output: timed(10, 30, {
          calledTools: [{ tool: 'calculator', toolInput: { input: '6*7' } }],
          usageMetadata: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
        }),
      }),
      begin('tool'),
      card('tool', 'FINISHED', {
        name: 'calculator',
        input: { input: '6*7' },
        output: timed(30, 31, { content: '42' }),
      }),
      begin('model'),
    );
    expect(looks(run)).toEqual([
      ['Card agent', 'running'],
      ['Card model', 'finished'],
      ['Card tool', 'finished'],
      ['Card model', 'running'],
    ]);
    const [, model, tool, again] = stepsOf(run, false);
    expect(model).toMatchObject({
      card: 'chatScripted',
      ms: 20,
      tokens: { read: 5, written: 2 },
      messages: [{ role: 'system', content: 'Count.' }, asked],
      input: {},
      tools: [{ tool: 'calculator', toolInput: { input: '6*7' }, toolOutput: '' }],
    });
    expect(tool).toMatchObject({ input: { input: '6*7' }, text: '42', messages: [] });
    // What runs began when what came before it ended.
    expect(again).toMatchObject({ start: 31, end: null, tokens: null });
    expect(underWay(run)).toEqual({ names: ['Card agent', 'Card model'], done: 2 });
    expect(nodeStates(stepsOf(run, false)).get('model')).toBe('running');
  });

  it('show what a model was given beside its messages', () => {
    const input = { messages: [{ role: 'user', content: 'Hi' }], temperature: 0 };
    const [step] = stepsOf(told(begin('a'), card('a', 'FINISHED', { input })), true);
    expect(step).toMatchObject({ messages: [{ role: 'user', content: 'Hi' }], input: { temperature: 0 } });
  });

  it('keep their keys when they end, and say why they failed', () => {
    const run = told(begin('a'), begin('a'), begin('b'));
    const keys = (one: LiveRun) => stepsOf(one, false).map(({ key }) => key);
    const failed = withRunEvent(run, card('a', 'ERROR', { error: 'The provider is down.' }));
    expect(keys(failed)).toEqual(keys(run));
    expect(looks(failed)).toEqual([
      ['Card a', 'error'],
      ['Card a', 'running'],
      ['Card b', 'running'],
    ]);
    expect(nodeErrors(stepsOf(told(begin('a'), card('a', 'ERROR', { error: 'No.' })), true))).toEqual(
      new Map([['a', 'No.']]),
    );
  });

  it('that were stopped, or never ended, are stopped', () => {
    const run = told(begin('a'), begin('b'), card('a', 'TERMINATED', {}));
    expect(looks(run, true)).toEqual([
      ['Card a', 'stopped'],
      ['Card b', 'stopped'],
    ]);
    // An end whose beginning was missed is a step too; what names no card is none.
    expect(looks(told(card('c', 'FINISHED', {})))).toEqual([['Card c', 'finished']]);
    expect(withRunEvent(run, { event: 'cardEvent', data: { status: 'FINISHED' } }).entries).toHaveLength(2);
  });
});

it('the turns of members are steps, the one that speaks without its end', () => {
  const turn = (nodeId: string, more = {}) => ({
    nodeId,
    agentName: `Member ${nodeId}`,
    nodeName: 'worker',
    ...more,
  });
  const data = [turn('a', { messages: ['One', 'Two'], state: { seen: 1 } }), turn('b', { messages: [] })];
  const run = withRunEvent(noRun, { event: 'agentReasoning', data });
  expect(looks(run)).toEqual([
    ['Member a', 'finished'],
    ['Member b', 'running'],
  ]);
  expect(stepsOf(run, false)[0]).toMatchObject({ card: 'worker', text: 'One\n\nTwo', values: { seen: 1 } });
  const chosen = withRunEvent(run, {
    event: 'agentReasoning',
    data: [turn('s', { messages: [], next: 'a' })],
  });
  expect(stepsOf(chosen, false)[0]).toMatchObject({ state: 'finished', output: { next: 'a' } });
});

describe('what a run asks', () => {
  const action = {
    id: 'p1',
    mapping: { approve: 'Yes', reject: 'No' },
    elements: [
      { type: 'agentflowv2-approve-button', label: 'Proceed' },
      { type: 'agentflowv2-reject-button', label: 'Reject' },
      { type: 'other-button', label: 'More' },
    ],
    data: { nodeLabel: 'Ask', input: { humanInputEnableFeedback: false } },
  };

  it('has the choices of its buttons, or of its mapping', () => {
    expect(decisionOf(action)?.choices).toEqual([
      { does: 'proceed', label: 'Proceed' },
      { does: 'reject', label: 'Reject' },
      { does: 'say', label: 'More' },
    ]);
    expect(decisionOf({ ...action, elements: undefined })?.choices.map(({ label }) => label)).toEqual([
      'Yes',
      'No',
    ]);
    expect([decisionOf(null), decisionOf('x'), decisionOf({ id: 'p1' })]).toEqual([null, null, null]);
  });

  it('is answered by its id, with a remark where one is taken', () => {
    const asked = decisionOf(action);
    const open = decisionOf({ ...action, data: {} });
    expect(asked && decisionFor(asked, 'reject', 'because')).toEqual({ type: 'reject', actionId: 'p1' });
    expect(open && decisionFor(open, 'proceed', ' go ')).toEqual({
      type: 'proceed',
      actionId: 'p1',
      feedback: 'go',
    });
  });
});
