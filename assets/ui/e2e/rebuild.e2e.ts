/** Draws published canvases anew, from an empty canvas, with nothing but the page, and asks what was drawn. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Json } from '../src/core/nodes';
import { inOrder } from '../src/core/nodes';
import {
  readDoc,
  rowsOf,
  without,
  type Definition,
  type Doc,
  type Param,
} from '../src/features/canvas/document/doc';
import { defaultOf, isValue } from '../src/features/canvas/document/definition';
import { plainOf } from '../src/features/canvas/document/richtext';
import { isShown } from '../src/features/canvas/document/shown';
import { renameIds } from '../src/features/canvas/document/wires';
import { configName } from '../src/features/canvas/panel/values';
import { Hands, same } from './hands';
import { missing, serviceForTests, shot, type Service } from './harness';

const folder = process.env.FLOWKEEP_TEMPLATES ? resolve(process.env.FLOWKEEP_TEMPLATES) : '';
const noTemplates =
  folder && existsSync(join(folder, 'agentflowsv2'))
    ? null
    : `there are no canvases in “${folder}”: set FLOWKEEP_TEMPLATES to a folder of them`;
if (noTemplates && !missing) console.warn(`Canvases are not rebuilt: ${noTemplates}`);

const template = (name: string): Doc => {
  const read = readDoc(readFileSync(join(folder, `${name}.json`), 'utf8'));
  if (!read) throw new Error(`${name} is no canvas.`);
  return read;
};

/** What an output or an input is called in the name of a handle, without the types that follow. */
const place = (handle: unknown): string => /-(?:output|input)-([^-]+)/.exec(String(handle))?.[1] ?? '';

/** Draws every card of a canvas with its settings and connections; gives the new ids by the old ones. */
async function redraw(page: Page, hands: Hands, original: Doc): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const boxes = original.nodes.filter((node) => !node.parentId);
  const inside = original.nodes.filter((node) => node.parentId);
  for (const node of [...inOrder(boxes), ...inOrder(inside)]) {
    const name = String(node.data.name);
    const id = await hands.put(name, node.parentId && ids.get(node.parentId));
    ids.set(node.id, id);
    if (!/^stickyNote/.test(name)) await hands.rename(String(node.data.label));
    const inputs = renameIds(node.data.inputs, ids) as Json;
    // Where a loop goes back to is known once something leads to it.
    await hands.fill(name, without(inputs, 'loopBackToNode'));
    const output = (node.data.outputs as Json | undefined)?.output;
    const label = hands.card(name).outputs?.find((one) => one.name === output)?.label;
    if (label) await hands.output(label);
  }
  await hands.lookAtAll();
  for (const edge of original.edges) {
    const [source, target] = [ids.get(edge.source) ?? '', ids.get(edge.target) ?? ''];
    const handles = await page
      .locator('.react-flow__handle')
      .evaluateAll((all) =>
        all.map((one) => [one.getAttribute('data-nodeid'), one.getAttribute('data-handleid')] as const),
      );
    const find = (node: string, wanted: unknown, old: string): string => {
      const own = handles.filter(([of]) => of === node).map(([, id]) => id ?? '');
      return (
        own.find((id) => id === String(wanted).replaceAll(old, node)) ??
        own.find((id) => place(id) === place(wanted)) ??
        `no ${String(wanted)}`
      );
    };
    await hands.connect(
      source,
      find(source, edge.sourceHandle, edge.source),
      target,
      find(target, edge.targetHandle, edge.target),
    );
  }
  for (const node of original.nodes.filter((one) => (one.data.inputs as Json).loopBackToNode)) {
    await hands.choose(ids.get(node.id) ?? '');
    await hands.fill(String(node.data.name), renameIds(node.data.inputs, ids) as Json);
  }
  return ids;
}

/** What the engine reads of a canvas: cards, what they are set to as far as that shows, and connections. */
function whatRuns(doc: Doc, cards: ReadonlyMap<string, Definition>): { nodes: Json; edges: string[] } {
  const settings = (params: readonly Param[], set: Json, rows?: { list: Json; at: number }): Json => {
    // What a canvas does not say is what the card begins with.
    const inputs: Json = {
      ...Object.fromEntries(params.map((param) => [param.name, defaultOf(param)])),
      ...set,
    };
    const told = (param: Param): [string, unknown][] => {
      const value = inputs[param.name];
      if (param.type === 'array') {
        const all = rowsOf(value);
        const list = { ...inputs, [param.name]: all };
        const each = all.map((row, at) => settings(param.array ?? [], row, { list, at }));
        return each.length > 0 ? [[param.name, each]] : [];
      }
      if (same(param, value, '')) return [];
      const picked = param.loadConfig ? cards.get(String(value)) : undefined;
      const config = picked && settings(picked.inputs, (inputs[configName(param)] ?? {}) as Json);
      const plain = param.type === 'boolean' ? true : plainText(value);
      return [[param.name, plain], ...(config ? [[configName(param), config] as [string, unknown]] : [])];
    };
    return Object.fromEntries(
      params
        .filter((param) => isValue(param) && param.type !== 'credential')
        .filter((param) => isShown(param, rows ? rows.list : inputs, rows?.at ?? null))
        .flatMap(told),
    );
  };
  const nodes = doc.nodes
    .filter((node) => !/^stickyNote/.test(String(node.data.name)))
    .map((node): [string, unknown] => {
      const inputs = node.data.inputs as Json;
      const card = cards.get(String(node.data.name));
      return [
        node.id,
        {
          card: node.data.name,
          label: node.data.label,
          inside: node.parentId ?? null,
          output: (node.data.outputs as Json | undefined)?.output ?? null,
          inputs: settings(card?.inputs ?? [], inputs),
          references: Object.entries(inputs)
            .filter(([, value]) => JSON.stringify(value ?? '').includes('.data.instance}}'))
            .map(([name, value]) => `${name} ${JSON.stringify([value].flat().sort())}`)
            .sort(),
        },
      ];
    });
  const edges = doc.edges.map((edge) =>
    [edge.source, place(edge.sourceHandle), edge.target, place(edge.targetHandle)].join(' '),
  );
  return { nodes: Object.fromEntries(nodes), edges: edges.sort() };
}

const plainText = (value: unknown): string =>
  typeof value === 'string' ? (plainOf(value) ?? value).trim() : JSON.stringify(value);

interface Answer {
  text?: string;
  chatId?: string;
  executionId?: string;
  action?: { id?: string; mapping?: unknown } | null;
  agentFlowExecutedData?: { nodeLabel: string; status: string }[];
}

describe.skipIf(missing || noTemplates)('canvases drawn anew', () => {
  const { service, signedIn } = serviceForTests();

  /** Draws a template, and holds it against the original. */
  async function rebuild(
    name: string,
    type: 'CHATFLOW' | 'AGENTFLOW',
  ): Promise<{
    flow: string;
    page: Page;
    hands: Hands;
    ids: Map<string, string>;
    close: () => Promise<void>;
  }> {
    const cards = await service.call<Definition[]>('GET', '/nodes');
    const { id: flow } = await service.call<{ id: string }>('POST', '/chatflows', { name, type });
    const opened = await signedIn(`/flows/${flow}`, { width: 2000, height: 1200 });
    const hands = new Hands(opened.page, cards);
    const original = template(name === FIRST ? `chatflows/${name}` : `agentflowsv2/${name}`);
    const ids = await redraw(opened.page, hands, original);
    await opened.page.getByText('Saved', { exact: true }).waitFor();
    await shot(
      opened.page,
      `rebuilt-${type === 'CHATFLOW' ? 'chat' : name.replaceAll(' ', '-').toLowerCase()}`,
    );
    const byName = new Map(cards.map((card) => [card.name, card]));
    const renamed = {
      ...original,
      ...(renameIds({ nodes: original.nodes, edges: original.edges }, ids) as Doc),
    };
    const drawn = whatRuns(await draftOf(service, flow), byName);
    expect(drawn).toEqual(whatRuns(renamed, byName));
    return { flow, hands, ids, ...opened };
  }

  async function publish(page: Page): Promise<void> {
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  const ask = (flow: string, body: Json): Promise<Answer> =>
    service.call('POST', `/prediction/${flow}`, body);

  it('a chat flow with retrieval', async () => {
    const { flow, page, hands, ids, close } = await rebuild(FIRST, 'CHATFLOW');
    const instead: Record<string, [string, Json]> = {
      chatMistralAI_0: ['chatScripted', { rules: JSON.stringify([{ reply: 'At seven.' }]) }],
      openAIEmbeddings_0: ['hashingEmbeddings', {}],
      faiss_0: ['memoryVectorStore', {}],
    };
    for (const [old, [card, inputs]] of Object.entries(instead)) {
      await hands.replace(ids.get(old) ?? '', card);
      await hands.fill(card, inputs);
    }
    await hands.choose(ids.get('documentStore_0') ?? '');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Delete');
    await hands.choose(ids.get('textFile_0') ?? '');
    const file = {
      name: 'hours.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('The bakery opens at seven.'),
    };
    await hands.panel.locator('input[type=file]').setInputFiles(file);
    await publish(page);
    await service.call('POST', `/vector/upsert/${flow}`, {});
    expect((await ask(flow, { question: 'When does the bakery open?' })).text).toBe('At seven.');
    await close();
  });

  const scripted = (...rules: Json[]): Json => ({ rules: JSON.stringify(rules) });
  /** Has the model of a step answer by rules. */
  const byRules = async (
    hands: Hands,
    id: string,
    card: string,
    input: string,
    rules: Json[],
  ): Promise<void> => {
    await hands.choose(id);
    const inputs = { [input]: 'chatScripted', [`${input}Config`]: scripted(...rules) };
    await hands.refill(card, inputs);
  };

  it('an agentflow that hands over to the agent that is meant', async () => {
    const { flow, page, hands, ids, close } = await rebuild('Agents Handoff', 'AGENTFLOW');
    const at = (old: string): string => ids.get(old) ?? '';
    const meant = { output: 'User is looking for item' };
    const intent = [{ reply: JSON.stringify(meant) }];
    await byRules(
      hands,
      at('conditionAgentAgentflow_0'),
      'conditionAgentAgentflow',
      'conditionAgentModel',
      intent,
    );
    await hands.choose(at('agentAgentflow_1'));
    // The search needs a key that nobody has here.
    await hands.panel
      .getByRole('group', { name: 'Tools' })
      .getByRole('button', { name: 'Remove row 1' })
      .click();
    for (const [id, reply] of [
      ['agentAgentflow_0', 'Here it is.'],
      ['agentAgentflow_1', 'Warm ones.'],
      ['agentAgentflow_2', 'Fine.'],
    ] as const)
      await byRules(hands, at(id), 'agentAgentflow', 'agentModel', [{ reply }]);
    await publish(page);
    expect((await ask(flow, { question: 'Have you got socks?' })).text).toBe('Warm ones.');
    await close();
  });

  it('an agentflow that runs steps for each item', async () => {
    const { flow, page, hands, ids, close } = await rebuild('Iterations', 'AGENTFLOW');
    const at = (old: string): string => ids.get(old) ?? '';
    for (const id of ['llmAgentflow_0', 'llmAgentflow_1'])
      await byRules(hands, at(id), 'llmAgentflow', 'llmModel', [{ reply: `${id} {question}` }]);
    await byRules(hands, at('agentAgentflow_0'), 'agentAgentflow', 'agentModel', [{ reply: 'Both said.' }]);
    await publish(page);
    const answer = await ask(flow, { question: 'Go' });
    expect(answer.text).toBe('Both said.');
    expect(
      answer.agentFlowExecutedData?.map((one) => one.nodeLabel).filter((one) => /Gemini|Ollama/.test(one)),
    ).toHaveLength(4);
    await close();
  });

  it('an agentflow that waits for a person, and goes back', async () => {
    const { flow, page, hands, ids, close } = await rebuild('Human In The Loop', 'AGENTFLOW');
    const at = (old: string): string => ids.get(old) ?? '';
    const kind = [{ match: 'kind', reply: 'Dear Ann, gladly.' }, { reply: 'Dear Ann, no.' }];
    await byRules(hands, at('agentAgentflow_0'), 'agentAgentflow', 'agentModel', kind);
    await hands.panel
      .getByRole('group', { name: 'Tools' })
      .getByRole('button', { name: 'Remove row 1' })
      .click();
    const parts = [
      { toolCalls: [{ name: 'give_answer', arguments: { subject: 'Socks', body: 'Gladly.' } }] },
    ];
    await byRules(hands, at('llmAgentflow_0'), 'llmAgentflow', 'llmModel', parts);
    await hands.choose(at('toolAgentflow_0'));
    await hands.refill('toolAgentflow', { toolAgentflowSelectedTool: 'currentDateTime' });
    await publish(page);
    const form = { subject: 'Socks', body: 'Have you got warm ones?', from: 'ann@socks.example' };
    const talk = conversationWith(service, flow);
    const human = (type: string, feedback: string): Promise<Answer> =>
      talk({ humanInput: { type, startNodeId: at('humanInputAgentflow_0'), feedback } });
    const asked = await talk({ form });
    expect(asked.text).toContain('Are you sure');
    const again = await human('reject', 'Be kind.');
    expect(JSON.stringify(again)).toContain('Dear Ann, gladly.');
    const sent = await human('proceed', '');
    expect(sent.agentFlowExecutedData?.map((one) => one.nodeLabel)).toContain('Send Email');
    await close();
  });
});

const FIRST = 'Conversational Retrieval QA Chain';

async function draftOf(service: Service, id: string): Promise<Doc> {
  const { draft } = await service.call<{ draft: { flowData: string } | null }>('GET', `/flow-drafts/${id}`);
  const doc = readDoc(draft?.flowData ?? '');
  if (!doc) throw new Error('The draft is no canvas.');
  return doc;
}

/** Asks as one conversation: who goes on with it proves that it is theirs. */
function conversationWith(service: Service, flow: string): (body: Json) => Promise<Answer> {
  let token = '';
  let chatId = '';
  return async (body) => {
    const response = await fetch(`${service.baseUrl}/api/v1/prediction/${flow}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { 'x-service-session-token': token } : {}) },
      body: JSON.stringify({ ...body, ...(chatId ? { chatId } : {}) }),
    });
    const answer = (await response.json()) as Answer;
    expect(response.status, JSON.stringify(answer)).toBe(200);
    token = response.headers.get('x-service-session-token') ?? token;
    chatId = answer.chatId ?? chatId;
    return answer;
  };
}
