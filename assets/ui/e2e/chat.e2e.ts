import { beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { agent, conversation, makeFlow, reader, type Rule } from './canvases';
import { axe, missing, serviceForTests, shot } from './harness';

const HOSTILE = [
  '# Title',
  '',
  'A [link](https://example.org/a) and ![a cat](https://example.org/cat.png), [bad](javascript:alert(1)).',
  '',
  '<form action="/x"><input name="a"><button>go</button></form><iframe src="/"></iframe>',
  '<p style="color:red" onclick="window.hit = true" id="main">styled</p><img src="x" onerror="window.hit = true">',
  '',
  '| a | b |',
  '|---|---|',
  '| 1 | 2 |',
  '',
  '```js',
  'const a = 1;',
  '```',
  '',
  '<img src="/\\evil.example/a.png" alt="sly"> <img src="/&#9;/evil.example/b.png" alt="slier">',
].join('\n');

const LONG = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');

const rules: Rule[] = [
  { match: '^slow', reply: LONG, delayMs: 150 },
  { match: '^fail', fail: { status: 500, message: 'The provider is down.' } },
  { match: '^wait', fail: { status: 429, retryAfter: 2 } },
  { match: '^hostile', reply: HOSTILE },
  { match: '^again', reply: 'Before: {history}' },
  { match: 'doc', reply: 'I read: {question}' },
];

describe.skipIf(missing)('the test chat', () => {
  const { service, signedIn } = serviceForTests();
  let flow: string;
  let counting: string;
  beforeAll(async () => {
    flow = await makeFlow(service, 'Helper', await conversation(service, rules), {
      chatbotConfig: JSON.stringify({
        starterPrompts: { 0: { prompt: 'What can you do?' } },
        fullFileUpload: { status: true, allowedUploadFileTypes: 'text/plain' },
      }),
    });
    counting = await makeFlow(
      service,
      'Counter',
      await agent(service, [
        { after: 'tool', reply: 'It is {0}.', match: '.+' },
        { after: 'user', toolCalls: [{ name: 'calculator', arguments: { input: '6*7' } }] },
      ]),
    );
  });

  const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const openTest = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await composer(page).waitFor();
  };

  it('streams an answer, keeps the conversation, and speaks it when it is complete', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    await openTest(page);
    await shot(page, 'chat-empty');
    await page.getByRole('button', { name: 'What can you do?' }).click();
    await page.getByText('You said: What can you do?').first().waitFor();
    await expect
      .poll(() => page.getByRole('status').allTextContents())
      .toContain('Answer: You said: What can you do?');
    await page.getByText(/\d+ tokens \(/).waitFor();
    // The focus never left: typing goes on.
    await page.keyboard.type('again');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('please');
    await page.keyboard.press('Enter');
    await page.getByText('Human: What can you do?').first().waitFor();
    expect(await composer(page).evaluate((at) => at === document.activeElement)).toBe(true);
    await axe(page);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Ask something').waitFor();
    await close();
  });

  it('keeps what is typed over a reload and another screen, until it is sent', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    await openTest(page);
    await composer(page).fill('Half a question');
    await page.reload();
    await openTest(page);
    await expect.poll(() => composer(page).inputValue()).toBe('Half a question');
    await page.goto('/credentials');
    await page.goto(`/flows/${counting}`);
    await openTest(page);
    expect(await composer(page).inputValue()).toBe('');
    await page.goto(`/flows/${flow}`);
    await openTest(page);
    await expect.poll(() => composer(page).inputValue()).toBe('Half a question');
    await composer(page).press('Enter');
    await page.getByText('You said: Half a question').first().waitFor();
    await page.reload();
    await openTest(page);
    expect(await composer(page).inputValue()).toBe('');
    await close();
  });

  it('stops an answer and keeps what came', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    await openTest(page);
    await composer(page).fill('slow');
    await composer(page).press('Enter');
    await page.getByText('word3').waitFor();
    await shot(page, 'chat-streaming');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).first().waitFor();
    expect(await page.getByText('word59').count()).toBe(0);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    // In a conversation that is known the service is told; what came is part of it.
    await composer(page).fill('Hello');
    await composer(page).press('Enter');
    await page.getByText('You said: Hello').first().waitFor();
    await composer(page).fill('slow');
    await composer(page).press('Enter');
    await page.getByText('word2').last().waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect.poll(() => page.getByText('Stopped', { exact: true }).count()).toBeGreaterThan(1);
    await composer(page).fill('again');
    await composer(page).press('Enter');
    await page.getByText('Human: Hello').first().waitFor();
    await close();
  });

  it('shows an error of the stream and asks again', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    await openTest(page);
    await composer(page).fill('fail');
    await composer(page).press('Enter');
    const alert = page.getByRole('alert').filter({ hasText: 'The answer failed' });
    await alert.waitFor();
    await shot(page, 'chat-error');
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor();
    await composer(page).fill('wait');
    await composer(page).press('Enter');
    await page.getByText('Too many requests (429)').waitFor({ timeout: 40_000 });
    await page.getByRole('button', { name: /^Retry in \d+ s$/ }).waitFor();
    await page.getByRole('button', { name: 'Retry', exact: true }).last().waitFor();
    await axe(page);
    await close();
  });

  it('draws markdown that cannot act', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`, {
      allowed: [/(Executing inline event handler|Applying inline style) violates/],
    });
    await openTest(page);
    await composer(page).fill('hostile');
    await composer(page).press('Enter');
    const answer = page.getByRole('listitem').filter({ hasText: 'styled' }).last();
    await answer.getByRole('cell', { name: '2' }).waitFor();
    const link = answer.getByRole('link', { name: 'link' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await answer.getByRole('link', { name: 'a cat' }).getAttribute('href')).toContain('cat.png');
    // The steps beside the answer draw their own bars.
    const acting = ':is(form, input, iframe, img, [style], [onclick], [id]):not([data-step] *)';
    expect(await answer.locator(acting).count()).toBe(0);
    expect(await answer.locator('a[href^="javascript"], img[src*="evil"]').count()).toBe(0);
    await answer.getByText('sly slier').waitFor();
    expect(await page.evaluate(() => 'hit' in window)).toBe(false);
    await shot(page, 'chat-markdown');
    await axe(page);
    await close();
  });

  it('sends a file along, and refuses what the flow does not take', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    await openTest(page);
    await page.locator('input[type=file]').setInputFiles([
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The code is 4711.') },
      { name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from('x') },
    ]);
    await page.getByRole('alert').filter({ hasText: 'cat.png was left out' }).waitFor();
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
    await composer(page).fill('Read the doc');
    await shot(page, 'chat-file');
    await composer(page).press('Enter');
    await page.getByText('4711').first().waitFor();
    await close();
  });

  it('keeps a small file that was chosen over a reload, until it is sent', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    await openTest(page);
    const chosen = page.getByRole('list', { name: 'Files of this question' }).getByRole('listitem');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The code is 4711.') });
    await chosen.getByText('notes.txt').waitFor();
    await page.reload();
    await openTest(page);
    await chosen.getByText('notes.txt').waitFor();
    await composer(page).fill('Read the doc');
    await composer(page).press('Enter');
    await page.getByText('4711').first().waitFor();
    await page.reload();
    await openTest(page);
    expect(await chosen.count()).toBe(0);
    await close();
  });

  it('takes a file that is pasted or dropped', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    await openTest(page);
    for (const type of ['paste', 'drop']) {
      await composer(page).evaluate((at, kind) => {
        const data = new DataTransfer();
        data.items.add(new File(['hello'], `${kind}.txt`, { type: 'text/plain' }));
        const event =
          kind === 'paste'
            ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
        at.dispatchEvent(event);
      }, type);
      await page.getByRole('button', { name: `Remove ${type}.txt` }).waitFor();
    }
    await page.getByRole('button', { name: 'Remove paste.txt' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Remove paste.txt' }).count()).toBe(0);
    await close();
  });

  it('shows the tools that were used', async () => {
    const { page, close } = await signedIn(`/flows/${counting}`);
    await openTest(page);
    await composer(page).fill('Count');
    await composer(page).press('Enter');
    await page.getByText('It is 42.').first().waitFor();
    await page.getByText('1 tool used').click();
    await page.locator('summary').filter({ hasText: 'calculator' }).click();
    await page.getByText('6*7').waitFor();
    await shot(page, 'chat-tools');
    await axe(page);
    await close();
  });

  it('shows the sources of an answer', async () => {
    const id = await makeFlow(
      service,
      'Reader',
      await reader(service, 'Parcels arrive on Monday.', 'parcels.txt'),
    );
    await service.call('POST', `/vector/internal-upsert/${id}`, {});
    const { page, close } = await signedIn(`/flows/${id}`);
    await openTest(page);
    await composer(page).fill('When do parcels arrive?');
    await composer(page).press('Enter');
    await page.getByText('1 source').click();
    await page.locator('summary').filter({ hasText: 'parcels.txt' }).click();
    await page.getByText('Parcels arrive on Monday.').first().waitFor();
    await shot(page, 'chat-sources');
    await close();
  });

  it('shows the steps of an agentflow, and leads to their nodes', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    const step = { nodeId: 'bufferMemory_0', nodeLabel: 'Remember' };
    const data = {
      input: { question: 'Hi' },
      output: {
        content: 'Noted',
        timeMetadata: { delta: 1200 },
        usageMetadata: { input_tokens: 2, output_tokens: 3 },
      },
    };
    const events: [string, unknown][] = [
      ['agentFlowEvent', 'INPROGRESS'],
      ['nextAgentFlow', { ...step, status: 'INPROGRESS' }],
      ['nextAgentFlow', { ...step, status: 'FINISHED' }],
      ['agentFlowExecutedData', [{ ...step, status: 'FINISHED', data }]],
      [
        'nextAgentFlow',
        { nodeId: 'conversationChain_0', nodeLabel: 'Reply', status: 'ERROR', error: 'No model.' },
      ],
      ['error', 'Reply: No model.'],
      ['end', '[DONE]'],
    ];
    await page.route('**/internal-prediction/*', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: events
          .map(([event, of]) => `message:\ndata:${JSON.stringify({ event, data: of })}\n\n`)
          .join(''),
      }),
    );
    await openTest(page);
    await composer(page).fill('Hi');
    await composer(page).press('Enter');
    const steps = page.getByRole('list', { name: '2 steps' });
    await steps.getByText('1.2 s · 5 tokens').waitFor();
    await steps.getByRole('button', { name: /^Done Remember/ }).click();
    await steps.getByText('Noted').waitFor();
    await page.getByRole('group', { name: 'Conversation' }).getByText('Reply: No model.').waitFor();
    // And at the card that it went wrong at.
    await page.locator('.react-flow').getByText('No model.', { exact: true }).waitFor();
    await shot(page, 'chat-steps');
    await axe(page);
    await steps.getByRole('button', { name: 'Show on the canvas' }).click();
    await page.waitForURL(/node=bufferMemory_0/);
    await close();
  });

  it('asks the draft or Live, as chosen', async () => {
    await service.call('PUT', `/flow-drafts/${counting}`, {
      flowData: (await conversation(service, [{ reply: 'From the draft' }])).text(),
    });
    const { page, close } = await signedIn(`/flows/${counting}`, { scheme: 'dark' });
    await openTest(page);
    await composer(page).fill('Who?');
    await composer(page).press('Enter');
    await page.getByText('From the draft').first().waitFor();
    await page.getByRole('radio', { name: 'Live' }).click();
    await composer(page).fill('Who?');
    await composer(page).press('Enter');
    await page.getByText('It is 42.').first().waitFor();
    await shot(page, 'chat-dark');
    await service.call('DELETE', `/flow-drafts/${counting}`);
    await close();
  });

  it('works on a narrow page', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`, { width: 390, height: 780 });
    await openTest(page);
    await composer(page).fill('Hello');
    await composer(page).press('Enter');
    await page.getByText('You said: Hello').first().waitFor();
    await shot(page, 'chat-narrow');
    await axe(page);
    await close();
  });
});
