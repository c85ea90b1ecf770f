import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch } from './harness';
import {
  answer,
  ask,
  expectClean,
  ownSite,
  questions,
  ready,
  service,
  shop,
  site,
  visit,
  type Service,
  type Site,
  type Visit,
} from './widget-support';

if (!ready) console.log('skipped: needs Chromium, the built service and the built widget');
const RULES = [
  { match: 'oil for lamps', reply: 'I read about the oil.' },
  { match: 'broken', fail: { status: 500, message: 'the inner reason' } },
  { match: 'slow', reply: Array.from({ length: 60 }, (_, at) => `word${at}`).join(' '), delayMs: 100 },
  {
    match: 'hostile',
    reply: '<img src=x onerror=document.title="owned"> [go](javascript:alert(1)) **safe**',
  },
];
const CHAT = {
  title: 'Harbour supply',
  welcomeMessage: 'Ask about **orders**.',
  starterPrompts: { 0: { prompt: 'Where is my order?' } },
  chatFeedback: { status: true },
  fullFileUpload: { status: true, allowedUploadFileTypes: 'text/plain' },
};

let running: Service;
let own: Site;
let other: Site;
let browser: Browser;
let flow: string;
const open: Visit[] = [];

beforeAll(async () => {
  if (!ready) return;
  running = await service();
  own = await ownSite(running);
  other = await site();
  browser = await launch();
  flow = await running.flow(RULES, { chatbotConfig: JSON.stringify(CHAT) });
});

afterAll(async () => {
  await browser?.close();
  for (const one of [running, own, other]) await one?.stop();
});

async function go(address: string, options = {}): Promise<Visit> {
  const made = await visit(browser, address, options);
  open.push(made);
  return made;
}

async function embedded(options: Record<string, unknown> = {}, context = {}): Promise<Visit> {
  other.page = shop(`${own.base}/widget.js`, { chatflowid: flow, apiHost: running.base, ...options });
  return go(other.base, context);
}

const opened = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Open chat' }).click();
  await page.getByRole('textbox').waitFor();
};
async function stored(id: string): Promise<{ chatId: string; content: string }[]> {
  const headers = { authorization: `Bearer ${running.key}` };
  const response = await fetch(`${running.base}/api/v1/chatmessage/${id}`, { headers });
  return (await response.json()) as { chatId: string; content: string }[];
}

describe.skipIf(!ready)('the chat on a page of another site', () => {
  test('streams answers and stays in one conversation', async () => {
    const id = await running.flow(RULES);
    const { page, faults } = await embedded({ chatflowid: id });
    const sent = questions(page);
    await opened(page);
    await ask(page, 'Hello');
    await answer(page, 'You said: Hello').waitFor();
    await ask(page, 'And more');
    await answer(page, 'You said: And more').waitFor();
    await expect.poll(async () => (await stored(id)).length).toBe(4);
    const chats = new Set((await stored(id)).map(({ chatId }) => chatId));
    expect(chats.size).toBe(1);
    expect(sent).toEqual([
      { question: 'Hello', streaming: true },
      { question: 'And more', streaming: true, chatId: [...chats][0] },
    ]);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await ask(page, 'Fresh');
    await answer(page, 'You said: Fresh').waitFor();
    expect(sent[2]).toEqual({ question: 'Fresh', streaming: true });
    expect(faults).toEqual([]);
  });

  test('works by keyboard alone and gives the focus back', async () => {
    const { page, faults } = await embedded();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const field = page.getByRole('textbox', { name: 'Type your question' });
    await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await answer(page, 'You said: Hello').waitFor();
    await expect
      .poll(() => page.locator('.chat > [role=status]').textContent())
      .toContain('Answer: You said: Hello');
    await page.keyboard.press('Escape');
    const launcher = page.getByRole('button', { name: 'Open chat' });
    const place = await launcher.boundingBox();
    expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThan(page.viewportSize()?.height ?? 0);
    await expect.poll(() => launcher.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('speaks the language of its page, and that of the browser where the page names none', async () => {
    const id = await running.flow(RULES);
    const script = `${own.base}/widget.js`;
    const options = { chatflowid: id, apiHost: running.base };
    const english = shop(script, options);
    const visitor = { locale: 'de-DE' };
    const shows = async (html: string, name: string): Promise<Visit> => {
      other.page = html;
      const made = await go(other.base, visitor);
      await made.page.getByRole('button', { name, exact: true }).waitFor();
      return made;
    };
    await shows(english, 'Open chat');
    await shows(shop(script, { ...options, language: 'de' }), 'Chat öffnen');
    await shows(english.replace('lang="en"', 'lang="de"'), 'Chat öffnen');
    const { page, faults } = await shows(english.replace(' lang="en"', ''), 'Chat öffnen');
    await page.getByRole('button', { name: 'Chat öffnen' }).click();
    await page.getByText('Hallo. Was kann ich tun?').waitFor();
    expect(faults).toEqual([]);
    const field = page.getByRole('textbox', { name: 'Eine Frage eingeben' });
    await field.fill('broken');
    await field.press('Enter');
    await page.getByText('Die Antwort brach ab.').first().waitFor();
    await page.getByRole('button', { name: 'Noch einmal', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Chat schließen' }).first().click();
    await page.getByRole('button', { name: 'Chat öffnen' }).waitFor();
  });

  test.each(['light', 'dark'] as const)('is accessible closed and open, %s', async (colorScheme) => {
    const { page } = await embedded(
      { theme: { tooltip: { showTooltip: true, tooltipMessage: 'Hi' } } },
      { colorScheme },
    );
    await page.getByRole('button', { name: 'Open chat' }).waitFor();
    await expectClean(page);
    await opened(page);
    await page.getByRole('button', { name: 'Where is my order?' }).click();
    await page.getByRole('button', { name: 'Good answer' }).waitFor();
    await ask(page, 'broken');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await expectClean(page);
  });

  test('covers a small screen and keeps the focus there', async () => {
    const { page } = await embedded({}, { viewport: { width: 390, height: 700 } });
    await opened(page);
    const box = await page.getByRole('dialog').boundingBox();
    expect(box).toMatchObject({ x: 0, y: 0, width: 390, height: 700 });
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press('Tab');
      const inPage = await page.evaluate(() => ['A', 'MAIN'].includes(document.activeElement?.tagName ?? ''));
      expect(inPage).toBe(false);
    }
    await page.getByRole('button', { name: 'Close chat' }).click();
    await page.getByRole('button', { name: 'Open chat' }).waitFor();
  });

  test('stops an answer and goes on', async () => {
    const { page } = await embedded();
    await opened(page);
    await ask(page, 'Hello');
    await answer(page, 'You said: Hello').waitFor();
    await ask(page, 'slow');
    await answer(page, 'word2').waitFor();
    await page.getByRole('button', { name: 'Stop answering' }).click();
    await page.getByText('Stopped.').waitFor();
    expect(await answer(page, 'word59').count()).toBe(0);
    await ask(page, 'Again');
    await answer(page, 'You said: Again').waitFor();
  });

  test('shows hostile answers as text', async () => {
    const { page, faults } = await embedded();
    await opened(page);
    await ask(page, 'hostile');
    const shown = answer(page, 'onerror');
    await shown.waitFor();
    expect(await shown.locator('img, a').count()).toBe(0);
    expect(await shown.locator('strong').textContent()).toBe('safe');
    expect(await page.title()).toBe('Shop');
    expect(faults).toEqual([]);
  });

  test('sends documents as their text and images as they are', async () => {
    const { page } = await embedded();
    const sent = questions(page);
    await opened(page);
    const chooser = page.locator('input[type=file]');
    await chooser.setInputFiles({
      name: 'note.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('all about oil for lamps'),
    });
    await page.getByRole('button', { name: 'Remove note.txt' }).waitFor();
    await ask(page, 'What is in it?');
    await answer(page, 'I read about the oil.').waitFor();
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await chooser.setInputFiles({
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: Buffer.from(pixel, 'base64'),
    });
    await ask(page, 'A picture');
    await answer(page, 'You said: A picture').waitFor();
    expect(await page.getByRole('img', { name: 'dot.png' }).count()).toBe(1);
    expect(sent.map(({ uploads }) => (uploads as { type: string }[])[0]?.type)).toEqual([
      'file:full',
      'file',
    ]);
    await chooser.setInputFiles({
      name: 'a.exe',
      mimeType: 'application/x-msdownload',
      buffer: Buffer.from('MZ'),
    });
    await page.getByText('a.exe: this type').waitFor();
  });

  test('takes itself off the page and clears', async () => {
    const { page } = await embedded();
    await opened(page);
    await ask(page, 'Hello');
    await answer(page, 'You said: Hello').waitFor();
    await page.evaluate(() => window.Chatbot?.clearChat());
    await expect.poll(() => answer(page, 'You said: Hello').count()).toBe(0);
    await page.evaluate(() => window.Chatbot?.destroy());
    expect(await page.locator('flowkeep-chat').count()).toBe(0);
  });
});

describe.skipIf(!ready)('what goes wrong', () => {
  test('a failed answer can be tried again and keeps its reason to itself', async () => {
    const { page } = await embedded();
    const sent = questions(page);
    await opened(page);
    await ask(page, 'broken');
    await page.getByText('The answer broke off.').first().waitFor();
    expect(await page.getByText('inner reason').count()).toBe(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => sent.length).toBe(2);
    expect(await page.locator('.message.user').count()).toBe(1);
  });

  test('the rate limit says what the owner wrote, as text', async () => {
    const rateLimit = { status: true, limitMax: '1', limitDuration: '600', limitMsg: 'Slow <b>down</b>' };
    const id = await running.flow(RULES, { apiConfig: JSON.stringify({ rateLimit }) });
    const { page } = await embedded({ chatflowid: id });
    await opened(page);
    await ask(page, 'Hello');
    await answer(page, 'You said: Hello').waitFor();
    await ask(page, 'Again');
    await page.locator('.failed').getByText('Slow <b>down</b>').waitFor();
    expect(await page.getByRole('button', { name: /Try again in \d+ s/ }).isDisabled()).toBe(true);
  });

  test.each([
    [400, 'This could not be answered.'],
    [401, 'Ask us for access.'],
    [403, 'This site may not be listed for this chat.'],
    [404, 'This chat is not available.'],
    [500, 'Something went wrong.'],
    [503, 'The chat is busy.'],
  ])('status %i has its sentence', async (status, sentence) => {
    const { page } = await embedded({ texts: { error401: 'Ask us for access.' } });
    await page.route('**/prediction/**', (route) =>
      route.fulfill({
        status,
        json: { message: 'for developers' },
        headers: { 'access-control-allow-origin': '*' },
      }),
    );
    await opened(page);
    await ask(page, 'Hello');
    await page.locator('.failed').getByText(sentence).waitFor();
    expect(await page.getByText('for developers').count()).toBe(0);
  });

  test('a site that is not listed is told so, and its owner sees it', async () => {
    const chatbotConfig = JSON.stringify({ allowedOrigins: ['https://shop.example'] });
    const id = await running.flow(RULES, { chatbotConfig });
    const { page } = await embedded({ chatflowid: id });
    await page.getByRole('button', { name: 'Open chat' }).click();
    await page.getByText('This site may not be listed').waitFor();
    const headers = { authorization: `Bearer ${running.key}` };
    const refused = await fetch(`${running.base}/api/v1/refused-origins/${id}`, { headers });
    expect(await refused.json()).toMatchObject([{ origin: new URL(page.url()).origin }]);
  });

  test('a service that is away is no question of lists', async () => {
    const { page } = await embedded({ apiHost: 'http://127.0.0.1:9' });
    await page.getByRole('button', { name: 'Open chat' }).click();
    await page.getByText('The chat cannot be reached.').waitFor();
  });

  test('a flow whose link is switched off is asked all the same', async () => {
    const { page } = await embedded({ chatflowid: await running.flow(RULES, { isPublic: false }) });
    await opened(page);
    await ask(page, 'Hello');
    await answer(page, 'You said: Hello').waitFor();
  });
});

describe.skipIf(!ready)('the shared page', () => {
  test.each(['light', 'dark'] as const)(
    'is the chat alone, under the policy of the page, %s',
    async (colorScheme) => {
      const { page, faults } = await go(`${own.base}/chatbot/${flow}`, { colorScheme });
      await page.getByRole('heading', { level: 1, name: 'Harbour supply' }).waitFor();
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
      await expect.poll(() => page.title()).toBe('Harbour supply');
      const sent = questions(page);
      await ask(page, 'Hello');
      await answer(page, 'You said: Hello').waitFor();
      await ask(page, 'More');
      await answer(page, 'You said: More').waitFor();
      expect(sent[1]?.chatId).toBeTruthy();
      await expectClean(page);
      expect(faults).toEqual([]);
    },
  );

  test('speaks German in a browser that does', async () => {
    const id = await running.flow(RULES);
    const { page, faults } = await go(`${own.base}/chatbot/${id}`, { locale: 'de-AT' });
    await page.getByText('Hallo. Was kann ich tun?').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de-AT');
    await page.getByRole('textbox', { name: 'Eine Frage eingeben' }).fill('Guten Tag');
    await page.getByRole('button', { name: 'Senden', exact: true }).click();
    await answer(page, 'You said: Guten Tag').waitFor();
    await page.getByRole('button', { name: 'Neues Gespräch' }).waitFor();
    await expectClean(page);
    expect(faults).toEqual([]);
    const none = await go(`${own.base}/chat/3f1d6c1e-0000-4000-8000-000000000000`, { locale: 'de-DE' });
    await none.page.getByText('Diesen Chat gibt es nicht.').waitFor();
  });

  test('a flow that does not exist is told in plain words', async () => {
    const { page } = await go(`${own.base}/chat/3f1d6c1e-0000-4000-8000-000000000000`);
    await page.getByText('This chat is not available.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await expectClean(page);
  });

  test('a flow whose link is switched off is no chat', async () => {
    const id = await running.flow(RULES, { isPublic: false });
    const { page } = await go(`${own.base}/chat/${id}`);
    await page.getByText('This chat is not available.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await expectClean(page);
  });

  test.each([
    ['is not published', { publishInstantly: false }, 'This chat is not published yet.'],
    ['answers nobody', { type: 'ETL' }, 'This chat is not available.'],
  ])('a flow that %s says so before anybody types', async (_, more, sentence) => {
    const { page } = await go(`${own.base}/chat/${await running.flow(RULES, more)}`);
    await page.getByText(sentence).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await expectClean(page);
  });

  test('a flow that needs a key says so before anybody types', async () => {
    const keys = await fetch(`${running.base}/api/v1/apikey`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ keyName: 'Of a program', permissions: ['chatflows:view'] }),
    });
    const { id: apikeyid } = (await keys.json()) as { id: string };
    const { page } = await go(`${own.base}/chat/${await running.flow(RULES, { apikeyid })}`);
    await page.getByText('This chat is not open to visitors.').waitFor();
  });

  test('files for the store of the flow are stored before the question about them', async () => {
    const uploads = {
      isRAGFileUploadAllowed: true,
      fileUploadSizeAndTypes: [{ fileTypes: ['text/plain'], maxUploadSize: 5 }],
    };
    const made = await go('about:blank');
    const sent = questions(made.page);
    await made.page.route('**/public-chatbotConfig/**', (route) => route.fulfill({ json: { uploads } }));
    await made.page.route('**/vector/upsert/**', (route) =>
      route.fulfill({ json: { numAdded: 1, chatId: 'c' } }),
    );
    await made.page.route('**/prediction/**', (route) =>
      route.fulfill({ json: { text: 'I read it.', chatId: 'c', chatMessageId: 'm' } }),
    );
    await made.page.goto(`${own.base}/chat/${flow}`);
    const file = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('oil') };
    await made.page.locator('input[type=file]').setInputFiles(file);
    await made.page.getByRole('button', { name: 'Remove note.txt' }).waitFor();
    await ask(made.page, 'What is in it?');
    await answer(made.page, 'I read it.').waitFor();
    expect(sent[0]?.chatId).toBe('c');
    expect(sent[0]?.uploads).toMatchObject([{ type: 'file:rag', name: 'note.txt' }]);
  });

  test('visitors rate answers', async () => {
    const id = await running.flow(RULES, { chatbotConfig: JSON.stringify(CHAT) });
    const { page } = await go(`${own.base}/chat/${id}`);
    await ask(page, 'Hello');
    await page.getByRole('button', { name: 'Good answer' }).click();
    await page.getByRole('textbox', { name: 'What could be better?' }).fill('Nothing');
    await page.keyboard.press('Enter');
    await page.locator('.message .muted').getByText('Thank you.').waitFor();
    const headers = { authorization: `Bearer ${running.key}` };
    const answered = await fetch(`${running.base}/api/v1/feedback/${id}`, { headers });
    const rows = (await answered.json()) as { content: string; rating: string }[];
    expect(rows).toMatchObject([{ content: 'Nothing', rating: 'THUMBS_UP' }]);
  });
});
