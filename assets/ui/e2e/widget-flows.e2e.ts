import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { START, Steps } from './agentflows';
import {
  answer,
  ask,
  CHROMIUM,
  DIST,
  expectClean,
  FLOWKEEP,
  launch,
  listen,
  ownSite,
  questions,
  service,
  visit,
  type Service,
  type Site,
  type Visit,
} from './widget-support';

/** Chats of flows that begin with a form, ask a person in between, or offer what to ask next. */
const ready = Boolean(CHROMIUM && FLOWKEEP && existsSync(join(DIST, 'widget.js')));
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
  for (const one of [running, own, provider]) one?.stop();
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
