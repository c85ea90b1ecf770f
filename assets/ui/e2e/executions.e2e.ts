import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask, fails, review, says, START, Steps } from './agentflows';
import { axe, focused, missing, open, overflows, serviceForTests, shot, type Opened } from './harness';

const password = 'correct horse battery';

describe.skipIf(missing)('executions', () => {
  const { service, signedIn } = serviceForTests();
  let parcels: string;
  let broken: string;
  let slow: string;
  let waits: string;
  let failed: string;
  beforeAll(async () => {
    if (missing) return;
    parcels = await review().flow(service, 'Parcel review');
    broken = await new Steps()
      .card('llmAgentflow_0', 'Writer', fails('The provider is down.'))
      .edge(START, 'llmAgentflow_0')
      .flow(service, 'Broken letter');
    slow = await new Steps()
      .card('llmAgentflow_0', 'Writer', says('word '.repeat(40).trim(), 120), [300, -80])
      .card('llmAgentflow_1', 'Reader', says('short', 20), [300, 80])
      .edge(START, 'llmAgentflow_0')
      .edge(START, 'llmAgentflow_1')
      .flow(service, 'Slow letter');
    waits = await ask(service, parcels, 'Where is my parcel?');
    failed = await ask(service, broken, 'Hi');
  });

  const signIn = async (email: string, path: string): Promise<Opened> => {
    const opened = await open(service.page, {});
    const answer = await opened.context.request.post('/api/v1/auth/login', {
      data: { email, password },
      headers: { origin: service.baseUrl },
    });
    expect(answer.status()).toBe(200);
    await opened.page.goto(path);
    return opened;
  };
  const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });
  const step = (page: Page, name: string) =>
    page.getByRole('button', {
      name: new RegExp(`^(Done|Failed|Running|Stopped|Waits for an answer) ${name}`),
    });
  const openTest = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('region', { name: 'Test' }).waitFor();
  };

  it('lists what ran, and keeps filters in the address', async () => {
    const { page, close } = await signedIn('/executions');
    await row(page, 'Parcel review').getByText('Waiting', { exact: true }).waitFor();
    await row(page, 'Broken letter').getByText('The provider is down.').waitFor();
    await axe(page);
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await row(page, 'Parcel review').waitFor({ state: 'detached' });
    expect(page.url()).toContain('state=ERROR');
    await page.reload();
    await row(page, 'Broken letter').waitFor();
    expect(await row(page, 'Parcel review').count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Id of a session' }).fill('nobody');
    await page.getByText('Nothing found').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await row(page, 'Parcel review').waitFor();
    await close();
  });

  it('shows what each step did, by keyboard', async () => {
    const { page, close } = await signedIn('/executions');
    await page.getByRole('link', { name: 'Parcel review' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Parcel review' }).waitFor();
    await page.getByText('Waits for an answer: Ask the boss').waitFor();
    await step(page, 'Counter').focus();
    await page.keyboard.press('Enter');
    await page.getByText('It is 42.').first().waitFor();
    await page.getByText('1 tool used').click();
    await page.locator('summary').filter({ hasText: 'calculator' }).click();
    await page.getByText('6*7').waitFor();
    const items = page.getByRole('group', { name: 'Items of Each city' });
    await items.getByText('Berlin', { exact: true }).waitFor();
    await items
      .getByRole('button', { name: /Weather/ })
      .last()
      .click();
    await items.getByText('Rain in Paris').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Close all' }).click();
    await page.getByText('It is 42.').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open all' }).click();
    await axe(page);
    await close();
  });

  it('looks well', async () => {
    for (const width of [1440, 1024, 390, 320])
      for (const scheme of ['light', 'dark'] as const) {
        const { page, close } = await signedIn('/executions', { width, height: 900, scheme });
        await row(page, 'Parcel review').waitFor();
        await axe(page);
        expect(await overflows(page)).toBe(false);
        await shot(page, `executions-${width}-${scheme}`);
        await page.goto(`/executions/${waits}`);
        await step(page, 'Counter').click();
        await page.getByText('It is 42.').first().waitFor();
        expect(await overflows(page)).toBe(false);
        await shot(page, `execution-${width}-${scheme}`);
        await page.goto(`/executions/${failed}`);
        await step(page, 'Writer').click();
        await axe(page);
        await shot(page, `execution-failed-${width}-${scheme}`);
        await close();
      }
  });

  it('follows a run while it goes on, and stops it', async () => {
    const running = fetch(`${service.baseUrl}/api/v1/prediction/${slow}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'Hi' }),
    }).catch(() => null);
    const { page, close } = await signedIn(`/executions`);
    await row(page, 'Slow letter').getByText('Running', { exact: true }).waitFor();
    await shot(page, 'executions-running');
    await page.getByRole('link', { name: 'Slow letter' }).first().click();
    await page.getByRole('button', { name: /^Done Start/ }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await axe(page);
    await page.getByRole('button', { name: 'Stop the run' }).click();
    await page.getByText('Stopped', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: /^Stopped Writer/ }).waitFor();
    await shot(page, 'execution-stopped');
    await running;
    await close();
  });

  it('tells steps as they begin, and asks for the record when the stream breaks off', async () => {
    const id = '01a20a54-c215-70d9-acd5-ff8d2e25f29b';
    const record = await service.call<object>('GET', `/executions/${waits}`);
    let state = 'INPROGRESS';
    const { page, close } = await signedIn('/account');
    await page.route(`**/api/v1/executions/${id}`, (route) =>
      route.fulfill({
        json: { ...record, id, state, pauses: [], action: null, executionData: [], somethingNew: 1 },
      }),
    );
    const events = [
      ['nextAgentFlow', { nodeId: START, nodeLabel: 'Start', status: 'INPROGRESS' }],
      ['somethingNew', { of: 'a later version' }],
      ['nextAgentFlow', { nodeId: 'llmAgentflow_0', nodeLabel: 'Writer', status: 'INPROGRESS' }],
    ];
    await page.route(`**/api/v1/executions/${id}/events`, (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: events.map(([event, data]) => `message:\ndata:${JSON.stringify({ event, data })}\n\n`).join(''),
      }),
    );
    await page.goto(`/executions/${id}`);
    await page.getByRole('button', { name: /^Running Writer/ }).waitFor();
    await page.getByText('What happens is not told live at the moment.').waitFor();
    await axe(page);
    await shot(page, 'execution-broken-off');
    state = 'FINISHED';
    await page.locator('header').getByText('Finished', { exact: true }).waitFor();
    await page.getByText('What happens is not told live at the moment.').waitFor({ state: 'detached' });
    await close();
  });

  it('says that nothing has run yet', async () => {
    const { page, close } = await signedIn('/account');
    await page.route('**/api/v1/executions?*', (route) => route.fulfill({ json: { data: [], total: 0 } }));
    await page.goto('/executions');
    await page.getByText('Nothing has run yet').waitFor();
    await axe(page);
    await shot(page, 'executions-empty');
    await close();
  });

  it('says when an execution is gone', async () => {
    const { page, close } = await signedIn('/executions/01a20a54-0000-70d9-acd5-ff8d2e25f29b', {
      allowed: [/404/, /400/],
    });
    await page.getByText('This execution is gone').waitFor();
    await axe(page);
    await page.goto('/executions/nonsense');
    await page.getByText('This execution is gone').waitFor();
    await page.getByRole('link', { name: 'Executions' }).last().click();
    await row(page, 'Parcel review').waitFor();
    await close();
  });

  it('is shared with everybody, until the link is taken back', async () => {
    const { page, close } = await signedIn(`/executions/${waits}`);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('switch', { name: 'Public link' }).click();
    const link = await page.getByLabel('Everybody who has the link can read it').inputValue();
    expect(link).toContain(`/execution/${waits}`);
    await axe(page);
    await shot(page, 'execution-share');
    for (const [width, scheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      const guest = await open(service.page, { width, scheme, allowed: [/404/] });
      await guest.page.goto(new URL(link).pathname);
      await guest.page.getByRole('heading', { name: 'Execution of Parcel review' }).waitFor();
      await step(guest.page, 'Writer').click();
      await guest.page.getByText('A short draft about parcels.').first().waitFor();
      expect(await guest.page.getByRole('button', { name: 'Run again from here' }).count()).toBe(0);
      await axe(guest.page);
      await shot(guest.page, `execution-shared-${width}`);
      await guest.close();
    }
    await page.getByRole('switch', { name: 'Public link' }).click();
    await page.getByText('Only people of this workspace see it').waitFor();
    const late = await open(service.page, { allowed: [/404/] });
    await late.page.goto(new URL(link).pathname);
    await late.page.getByRole('heading', { name: 'Nothing is shared here' }).waitFor();
    await axe(late.page);
    await shot(late.page, 'execution-shared-gone');
    await late.close();
    await close();
  });

  it('deletes one, and several at once', async () => {
    for (const question of ['one', 'two', 'three']) await ask(service, broken, question);
    const { page, close } = await signedIn('/executions?state=ERROR');
    const boxes = page.getByRole('checkbox', { name: /Choose the execution of Broken letter/ });
    await expect.poll(() => boxes.count()).toBe(4);
    await boxes.nth(0).click();
    await boxes.nth(1).focus();
    await page.keyboard.press('Space');
    await page.getByText('2 chosen').waitFor();
    await axe(page);
    await shot(page, 'executions-chosen');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await axe(page);
    await shot(page, 'executions-delete');
    await page.getByRole('button', { name: 'Delete 2 executions' }).click();
    await page.getByText('2 executions deleted', { exact: true }).waitFor();
    await expect.poll(() => boxes.count()).toBe(2);
    await page.getByRole('link', { name: 'Broken letter' }).first().click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete execution' }).click();
    await page.getByText('Execution deleted', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Broken letter' }).count()).toBe(1);
    await close();
  });

  it('shows no ways to change to who may only look', async () => {
    const owner = await signedIn('/executions');
    const call = owner.context.request;
    const headers = { origin: service.baseUrl, 'x-request-from': 'internal' };
    const roles = (await (await call.get('/api/v1/role', { headers })).json()) as {
      id: string;
      name: string;
    }[];
    const viewer = roles.find(({ name }) => name === 'Viewer')?.id;
    const made = await call.post('/api/v1/account/invite', {
      data: { user: { email: 'reader@example.org', name: 'Reader' }, roleId: viewer },
      headers,
    });
    expect(made.ok(), await made.text()).toBe(true);
    const { link } = (await made.json()) as { link: { path: string } };
    const tempToken = new URLSearchParams(link.path.split('?')[1]).get('token');
    const accepted = await call.post('/api/v1/account/register', {
      data: { user: { name: 'Reader', credential: password, tempToken } },
      headers,
    });
    expect(accepted.ok(), await accepted.text()).toBe(true);
    await owner.close();
    const { page, close } = await signIn('reader@example.org', '/executions');
    await row(page, 'Parcel review').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Actions for/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Parcel review' }).first().click();
    await step(page, 'Counter').waitFor();
    for (const name of ['Delete', 'Share', 'Stop'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    await axe(page);
    await close();
  });

  it('lights cards up, and opens what a step did from its card', async () => {
    const { page, close } = await signedIn(`/flows/${parcels}`, { width: 1440, height: 900 });
    await openTest(page);
    await page.getByRole('textbox', { name: 'Message' }).fill('Where is it?');
    await page.keyboard.press('Enter');
    const asks = page.getByRole('region', { name: 'What do you decide?' });
    await asks.getByText('Ask the boss waits for you').waitFor();
    await page.getByRole('button', { name: 'Ask the boss: Waits for an answer. Show what it did' }).waitFor();
    await page.getByRole('button', { name: 'Counter: Finished. Show what it did' }).click();
    await expect.poll(() => focused(page)).toContain('Counter');
    const test = page.getByRole('region', { name: 'Test' });
    await test.getByText('It is 42.').first().waitFor();
    await axe(page);
    await shot(page, 'run-on-canvas');
    await asks.getByLabel('Your remark').fill('Be quick');
    await asks.getByRole('button', { name: 'Proceed' }).click();
    await test.getByText('Sent (Be quick)').last().waitFor();
    await page.getByRole('button', { name: 'Sent: Finished. Show what it did' }).waitFor();
    expect(await asks.count()).toBe(0);
    await shot(page, 'run-decided');
    // What came before a step stays when it runs again.
    await step(page, 'Writer').last().click();
    await test.getByRole('button', { name: 'Run again from here' }).last().click();
    await test.getByText('Run again from “Writer”').waitFor();
    await asks.getByRole('button', { name: 'Reject' }).click();
    await test.getByText('Kept (reject)').last().waitFor();
    await axe(page);
    await shot(page, 'run-again');
    await close();
  });

  it('begins with the form of the flow', async () => {
    const flow = await new Steps({
      startInputType: 'formInput',
      formTitle: 'Order a parcel',
      formDescription: 'We need to know this.',
      formInputTypes: [
        { type: 'string', name: 'name', label: 'Your name' },
        { type: 'number', name: 'count', label: 'How many' },
        { type: 'boolean', name: 'fast', label: 'In a hurry' },
        {
          type: 'options',
          name: 'size',
          label: 'Size',
          addOptions: [{ option: 'Small' }, { option: 'Large' }],
        },
      ],
    })
      .card('directReplyAgentflow_0', 'Reply', {
        directReplyMessage: '{{ $form.count }} {{ $form.size }} for {{ $form.name }}, {{ $form.fast }}',
      })
      .edge(START, 'directReplyAgentflow_0')
      .flow(service, 'Order', false);
    for (const [width, scheme] of [
      [1440, 'dark'],
      [390, 'light'],
    ] as const) {
      const { page, close } = await signedIn(`/flows/${flow}`, { width, height: 900, scheme });
      await openTest(page);
      const form = page.getByRole('form', { name: 'Order a parcel' });
      await form.getByLabel('Your name').fill('Ada');
      await form.getByLabel('How many').fill('3');
      await form.getByRole('checkbox', { name: 'In a hurry' }).click();
      await form.getByRole('combobox', { name: 'Size' }).click();
      await page.getByRole('option', { name: 'Large' }).click();
      // What was filled in and not sent is there again after a reload.
      await page.reload();
      await openTest(page);
      await expect.poll(() => form.getByLabel('Your name').inputValue()).toBe('Ada');
      expect(await form.getByLabel('How many').inputValue()).toBe('3');
      expect(await form.getByRole('checkbox', { name: 'In a hurry' }).isChecked()).toBe(true);
      expect(await form.getByRole('combobox', { name: 'Size' }).textContent()).toBe('Large');
      await axe(page);
      await shot(page, `run-form-${width}`);
      await form.getByRole('button', { name: 'Start' }).click();
      await page.getByText('3 Large for Ada, true').last().waitFor();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await axe(page);
      await shot(page, `run-form-sent-${width}`);
      await page.reload();
      await openTest(page);
      await expect.poll(() => form.getByLabel('Your name').inputValue()).toBe('');
      await close();
    }
  });

  it('runs again from a step of a record, and answers what the new one waits for', async () => {
    const { page, close } = await signedIn(`/executions/${waits}`);
    await step(page, 'Counter').click();
    await page.getByRole('button', { name: 'Run again from here' }).click();
    await page.getByText('It runs again. This is the new execution.', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'the first execution' }).waitFor();
    await page.getByRole('button', { name: /Writer Kept/ }).waitFor();
    await page.getByRole('button', { name: 'Proceed' }).click();
    await page.getByText('Finished', { exact: true }).first().waitFor();
    await step(page, 'Sent').waitFor();
    await axe(page);
    await shot(page, 'execution-again');
    await close();
  });

  it('stops a run of the test chat, and works on a narrow page', async () => {
    const { page, close } = await signedIn(`/flows/${slow}`, { width: 390, height: 844 });
    await openTest(page);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hi');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Running Writer/ }).waitFor();
    await shot(page, 'run-narrow');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: /^Stopped Writer/ }).waitFor();
    await page.getByRole('link', { name: 'Execution' }).waitFor();
    await axe(page);
    await shot(page, 'run-narrow-stopped');
    await close();
  });
});
