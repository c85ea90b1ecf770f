import { createServer } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { START, Steps } from './agentflows';
import { launch } from './harness';
import {
  answer,
  ask,
  expectClean,
  listen,
  ownSite,
  questions,
  ready,
  service,
  visit,
  type Service,
  type Site,
  type Visit,
} from './widget-support';

/** Chats of flows that begin with a form, ask a person in between, or offer what to ask next. */
const FORM = {
  startInputType: 'formInput',
  formTitle: 'Order of socks',
  formInputTypes: [
    { type: 'string', label: 'Your name', name: 'name' },
    { type: 'number', label: 'Pieces', name: 'pieces' },
    { type: 'boolean', label: 'Wrapped', name: 'wrapped' },
    { type: 'options', label: 'Colour', name: 'colour', addOptions: [{ option: 'red' }, { option: 'blue' }] },
  ],
};
const ORDER = '{{ $form.name }}: {{ $form.pieces }} of {{ $form.colour }}, wrapped {{ $form.wrapped }}.';

let running: Service;
let own: Site;
let browser: Browser;
let provider: { base: string; stop: () => void };

beforeAll(async () => {
  if (!ready) return;
  running = await service();
  own = await ownSite(running);
  browser = await launch();
  provider = await suggests(['Where is it now?', 'Can I change it?']);
});

afterAll(async () => {
  await browser?.close();
  for (const one of [running, own, provider]) await one?.stop();
});

/** A model that answers everything with these questions. */
async function suggests(prompts: string[]): Promise<{ base: string; stop: () => void }> {
  const reply = { message: { role: 'assistant', content: JSON.stringify(prompts) }, done: true };
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.end(`${JSON.stringify(reply)}\n`));
  });
  return { base: await listen(server), stop: () => server.close() };
}

/** Settings with which answers bring what might be asked next. */
const followUps = (): Record<string, unknown> => {
  const ollama = { baseUrl: provider.base, modelName: 'any' };
  const config = { status: true, selectedProvider: 'ollama', ollama };
  return { followUpPrompts: JSON.stringify(config) };
};

const agentflow = (steps: Steps, more: Record<string, unknown> = {}): Promise<string> =>
  running.flow([], { type: 'AGENTFLOW', flowData: steps.text(), ...more });

/** What the form says, said back. */
const order = (reply = ORDER): Steps =>
  new Steps(FORM)
    .card('directReplyAgentflow_0', 'Reply', { directReplyMessage: reply })
    .edge(START, 'directReplyAgentflow_0');

/** A model writes, a person decides, and a refusal has it write again. */
function approval(): Steps {
  const rules = [{ match: 'be kind', reply: 'A kind draft.' }];
  const writer = {
    llmModel: 'chatScripted',
    llmModelConfig: { rules: JSON.stringify(rules), fallback: 'A draft about {question}.' },
    llmEnableMemory: true,
  };
  const asks = {
    humanInputDescriptionType: 'fixed',
    humanInputDescription: 'Shall I send it?',
    humanInputEnableFeedback: true,
  };
  return new Steps()
    .card('llmAgentflow_0', 'Writer', writer)
    .card('humanInputAgentflow_0', 'Ask', asks)
    .card('directReplyAgentflow_0', 'Sent', { directReplyMessage: 'Sent: {{ llmAgentflow_0 }}' })
    .card('loopAgentflow_0', 'Again', { loopBackToNode: 'llmAgentflow_0-Writer', maxLoopCount: 5 })
    .edge(START, 'llmAgentflow_0')
    .edge('llmAgentflow_0', 'humanInputAgentflow_0')
    .edge('humanInputAgentflow_0', 'directReplyAgentflow_0', 0)
    .edge('humanInputAgentflow_0', 'loopAgentflow_0', 1);
}

const chat = (flow: string): Promise<Visit> => visit(browser, `${own.base}/chat/${flow}`);
const field = (page: Page) => page.getByRole('textbox', { name: 'Type your question' });
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function fill(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('Ann');
  await page.getByLabel('Pieces').fill('3');
  await page.getByLabel('Wrapped').check();
  await page.getByLabel('Colour').selectOption('blue');
  await click(page, 'Send');
}

describe.skipIf(!ready)('a flow that begins with a form', () => {
  test('goes on with questions once it has its form', async () => {
    const { page, faults } = await chat(await agentflow(order()));
    const sent = questions(page);
    await page.getByText('Order of socks').waitFor();
    expect(await field(page).count()).toBe(0);
    await expectClean(page);
    await fill(page);
    await answer(page, 'Ann: 3 of blue, wrapped true.').waitFor();
    await ask(page, 'The same again');
    await answer(page, 'Ann: 3 of blue, wrapped true.').nth(1).waitFor();
    expect(sent[0]).toEqual({
      form: { name: 'Ann', pieces: 3, wrapped: true, colour: 'blue' },
      streaming: true,
    });
    expect(sent[1]).toMatchObject({ question: 'The same again', chatId: expect.any(String) });
    await click(page, 'New conversation');
    await page.getByLabel('Your name').waitFor();
    expect(await field(page).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('offers what to ask next', async () => {
    const { page } = await chat(await agentflow(order(), followUps()));
    await fill(page);
    await click(page, 'Where is it now?');
    await page.locator('.message.user').getByText('Where is it now?').waitFor();
    await answer(page, 'Ann: 3 of blue').nth(1).waitFor();
    await page.getByRole('button', { name: 'Can I change it?' }).waitFor();
  });

  test('shows the form again, as it was filled in, when its run fails', async () => {
    const steps = new Steps(FORM)
      .card('llmAgentflow_0', 'Writer', {
        llmModel: 'chatScripted',
        llmModelConfig: {
          rules: JSON.stringify([{ match: 'Ann', fail: { status: 500, message: 'no' } }]),
          fallback: 'Ordered.',
        },
        llmMessages: [{ role: 'user', content: '{{ $form.name }}' }],
      })
      .edge(START, 'llmAgentflow_0');
    const { page } = await chat(await agentflow(steps));
    await fill(page);
    await page.locator('.failed').waitFor();
    expect(await page.getByLabel('Pieces').inputValue()).toBe('3');
    expect(await field(page).count()).toBe(0);
    await click(page, 'Try again');
    await page.locator('.failed').waitFor();
    await page.getByLabel('Your name').fill('Bob');
    await click(page, 'Send');
    await answer(page, 'Ordered.').waitFor();
    await field(page).waitFor();
  });
});

describe.skipIf(!ready)('a flow that asks a person', () => {
  test('is refused with a reason, and then told to go on', async () => {
    const { page, faults } = await chat(await agentflow(approval()));
    const sent = questions(page);
    await ask(page, 'socks');
    await answer(page, 'A draft about socks.').waitFor();
    await page.getByRole('button', { name: 'Proceed' }).waitFor();
    await expectClean(page);
    await page.getByRole('textbox', { name: 'Add a comment' }).fill('Please be kind');
    await click(page, 'Reject');
    await page.locator('.message.user').getByText('Reject: Please be kind').waitFor();
    await answer(page, 'A kind draft.').waitFor();
    await page.getByRole('textbox', { name: 'Add a comment' }).fill('Well done');
    await click(page, 'Proceed');
    await answer(page, 'Sent: A kind draft.').waitFor();
    expect(await page.getByRole('button', { name: 'Proceed' }).count()).toBe(0);
    expect(sent.map(({ humanInput }) => humanInput)).toEqual([
      undefined,
      { type: 'reject', startNodeId: 'humanInputAgentflow_0', feedback: 'Please be kind' },
      { type: 'proceed', startNodeId: 'humanInputAgentflow_0', feedback: 'Well done' },
    ]);
    expect(new Set(sent.slice(1).map(({ chatId }) => chatId)).size).toBe(1);
    expect(faults).toEqual([]);
  });

  test('is answered by the buttons alone', async () => {
    const { page } = await chat(await agentflow(approval()));
    await ask(page, 'ropes');
    await click(page, 'Proceed');
    await answer(page, 'Sent: A draft about ropes.').waitFor();
  });

  test('asks before a tool is called, and takes no for an answer', async () => {
    const rules = [
      { match: 'refused', reply: 'Then I do not know.' },
      { after: 'tool', match: '.+', reply: 'It is {0}.' },
      { after: 'user', reply: '', toolCalls: [{ name: 'calculator', arguments: { input: '6*7' } }] },
    ];
    const agent = {
      agentModel: 'chatScripted',
      agentModelConfig: { rules: JSON.stringify(rules) },
      agentTools: [{ agentSelectedTool: 'calculator', agentSelectedToolRequiresHumanInput: true }],
    };
    const steps = new Steps().card('agentAgentflow_0', 'Helper', agent).edge(START, 'agentAgentflow_0');
    const flow = await agentflow(steps);
    for (const [button, said] of [
      ['Proceed', 'It is 42.'],
      ['Reject', 'Then I do not know.'],
    ] as const) {
      const { page, close } = await chat(flow);
      await ask(page, 'How much?');
      await click(page, button);
      await answer(page, said).waitFor();
      await close();
    }
  });
});

describe.skipIf(!ready)('follow-up prompts', () => {
  test('are asked with a click, and those of the newest answer alone are offered', async () => {
    const flow = await running.flow([], followUps());
    const { page } = await chat(flow);
    const sent = questions(page);
    expect(await page.getByRole('group', { name: 'Suggestions' }).getByRole('button').count()).toBe(0);
    await ask(page, 'Hello');
    await page.getByRole('button', { name: 'Can I change it?' }).waitFor();
    await expectClean(page);
    await click(page, 'Where is it now?');
    await answer(page, 'You said: Where is it now?').waitFor();
    await page.getByRole('button', { name: 'Where is it now?' }).waitFor();
    expect(await page.locator('.prompts button').count()).toBe(2);
    expect(sent[1]).toMatchObject({ question: 'Where is it now?', chatId: expect.any(String) });
  });
});

describe.skipIf(!ready)('a chat that asks who is there', () => {
  const asking = (leads: Record<string, unknown>): Promise<string> =>
    running.flow([], { chatbotConfig: JSON.stringify({ leads: { status: true, ...leads } }) });
  const read = async <T>(path: string): Promise<T> => {
    const headers = { authorization: `Bearer ${running.key}` };
    return (await (await fetch(`${running.base}/api/v1${path}`, { headers })).json()) as T;
  };

  test('goes on in the conversation that the visitor left a name in', async () => {
    const flow = await asking({ title: 'Who are you?', name: true, phone: true });
    const { page, faults } = await chat(flow);
    const sent = questions(page);
    await page.getByLabel('Name').fill('Ada');
    await click(page, 'Start chat');
    await page.getByText('Fill in this field.').waitFor();
    await page.getByLabel('Phone number').fill('555 0199');
    await click(page, 'Start chat');
    await ask(page, 'Hello');
    await answer(page, 'You said: Hello').waitFor();
    const [lead] = await read<{ chatId: string; name: string }[]>(`/leads/${flow}`);
    expect(sent).toEqual([{ question: 'Hello', streaming: true, chatId: lead?.chatId }]);
    await expect
      .poll(async () => (await read<{ data: unknown }>(`/conversations/${flow}?page=1&limit=5`)).data)
      .toMatchObject([{ chatId: lead?.chatId, leadName: 'Ada' }]);
    expect(faults).toEqual([]);
  });

  test('asks once, and not again after a reload or in a new conversation', async () => {
    const flow = await asking({ name: true, email: true });
    const { page } = await chat(flow);
    const sent = questions(page);
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email address').fill('ada@example.org');
    await click(page, 'Start chat');
    await field(page).waitFor();
    await click(page, 'New conversation');
    await field(page).waitFor();
    await page.reload();
    await ask(page, 'Hello');
    await answer(page, 'You said: Hello').waitFor();
    expect(sent).toEqual([{ question: 'Hello', streaming: true, leadEmail: 'ada@example.org' }]);
    expect(await read<unknown[]>(`/leads/${flow}`)).toHaveLength(1);
    await page.goto(`${own.base}/chat/${await asking({ name: true })}`);
    await page.getByLabel('Name').waitFor();
    expect(await field(page).count()).toBe(0);
  });
});
