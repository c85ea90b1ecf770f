/** Screens that are opened by somebody who may not see them say so, name what is lacking, and leave the way on open. */
import type { APIRequestContext } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { conversation, makeFlow } from './canvases';
import { axe, missing, open, openSignedIn, serviceForTests, shot, type Opened } from './harness';

const password = 'correct horse battery';

describe.skipIf(missing)('somebody without the right to see', () => {
  const { service } = serviceForTests();
  let flow: string;
  let chat: string;
  let store: string;

  /** Makes a person with these permissions and no others. */
  const person = async (call: APIRequestContext, email: string, permissions: string[]): Promise<void> => {
    const headers = { origin: service.baseUrl, 'x-request-from': 'internal' };
    const send = async (path: string, data: object): Promise<unknown> => {
      const answer = await call.post(`/api/v1${path}`, { data, headers });
      const text = await answer.text();
      expect(answer.ok(), text).toBe(true);
      return JSON.parse(text || 'null') as unknown;
    };
    await send('/role', { name: `Role of ${email}`, permissions });
    const roles = (await (await call.get('/api/v1/role', { headers })).json()) as {
      id: string;
      name: string;
    }[];
    const roleId = roles.find(({ name }) => name === `Role of ${email}`)?.id;
    const made = (await send('/account/invite', { user: { email, name: email }, roleId })) as {
      link: { token: string };
    };
    await send('/account/register', {
      user: { name: email, credential: password, tempToken: made.link.token },
    });
  };

  const signIn = async (email: string): Promise<Opened> => {
    // What the frame of the page asks for of itself may be refused too, and what is gone is asked for.
    const opened = await open(service.page, { allowed: [/40[34]/] });
    const answer = await opened.context.request.post('/api/v1/auth/login', {
      data: { email, password },
      headers: { origin: service.baseUrl },
    });
    expect(answer.status()).toBe(200);
    return opened;
  };

  beforeAll(async () => {
    if (missing) return;
    flow = await makeFlow(service, 'Shop', await conversation(service, [{ reply: 'Hi' }]));
    const asked = await service.call<{ chatId: string }>('POST', `/prediction/${flow}`, {
      question: 'Hello',
    });
    chat = asked.chatId;
    store = (await service.call<{ id: string }>('POST', '/document-store/store', { name: 'Prices' })).id;
    const owner = await openSignedIn(service, '/favicon.svg');
    await person(owner.context.request, 'keys@example.org', ['apikeys:view']);
    await person(owner.context.request, 'flows@example.org', ['chatflows:view']);
    await owner.close();
  });

  const screens = [
    ['Home', '/home', 'chatflows:view'],
    ['Conversations', '/conversations', 'chatflows:view'],
    ['Conversations', '/conversations?tab=visitors', 'chatflows:view'],
    ['Usage', '/usage', 'chatflows:view'],
    ['Templates', '/templates', 'templates:custom'],
    ['Knowledge', '/knowledge', 'documentStores:view'],
  ] as const;

  it('of them reads what it takes and whom to ask, and goes on to what may be seen', async () => {
    const { page, close } = await signIn('keys@example.org');
    for (const [title, path, permission] of screens) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.getByText('You may not see this').waitFor();
      await page
        .getByText(`It needs the permission ${permission}. Ask whoever manages roles here.`)
        .waitFor();
      await axe(page);
      await shot(page, `no-rights-${path.replace(/\W+/g, '-')}`);
    }
    await page.goto('/server');
    await page.getByText('Only the owner sees this').waitFor();
    await page.getByText(/Ask the owner for what you miss\.$/).waitFor();
    await axe(page);
    // The sidebar has nothing that leads to a refusal.
    const items = page.getByRole('navigation').getByRole('link');
    const names = (await items.allTextContents()).map((name) => name.trim());
    expect(names).toContain('API keys');
    for (const [title] of screens) expect(names).not.toContain(title);
    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await close();
  });

  it('of one conversation or one store reads the same there, with the way back to their list', async () => {
    const { page, close } = await signIn('keys@example.org');
    for (const [title, path, permission, back] of [
      ['Conversations', `/conversations/${flow}/${chat}`, 'chatflows:view', 'All conversations'],
      ['Knowledge', `/knowledge/${store}`, 'documentStores:view', 'All stores'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page
        .getByText(`It needs the permission ${permission}. Ask whoever manages roles here.`)
        .waitFor();
      expect(await page.getByRole('button', { name: /^(Delete|Retry)/ }).count()).toBe(0);
      await axe(page);
      await shot(page, `no-rights-one-${title.toLowerCase()}`);
      await page.getByRole('main').getByRole('link', { name: back }).click();
      await page.waitForURL((url) => url.pathname === path.split('/').slice(0, 2).join('/'));
    }
    await close();
  });

  it('of a flow, or whose flow is gone, reads so on its page, with the way back to the flows', async () => {
    const keys = await signIn('keys@example.org');
    await keys.page.goto(`/flows/${flow}`);
    await keys.page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    await keys.page
      .getByText('It needs the permission chatflows:view. Ask whoever manages roles here.')
      .waitFor();
    await axe(keys.page);
    await shot(keys.page, 'no-rights-one-flow');
    await keys.close();
    const { page, close } = await signIn('flows@example.org');
    for (const id of ['1b4e28ba-2fa1-4d1d-883f-0016d3cca427', 'no-id']) {
      await page.goto(`/flows/${id}/versions`);
      await page.getByText('There is no such flow').waitFor();
      await axe(page);
      await page.getByRole('link', { name: 'Back to flows' }).click();
      await page.waitForURL((url) => url.pathname === '/');
      await page.getByRole('link', { name: 'Shop' }).first().waitFor();
    }
    await close();
  });

  it('to change what is there is shown it without the ways to change it', async () => {
    const { page, close } = await signIn('flows@example.org');
    await page.goto(`/conversations?flow=${flow}&source=EXTERNAL`);
    await page.getByRole('link', { name: 'Hello' }).waitFor();
    for (const name of ['Delete these', 'Export'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await page.goto(`/conversations/${flow}/${chat}`);
    await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
    for (const name of ['Delete', 'Keep for checks', 'Export'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    await page.goto('/home');
    await page.getByRole('region', { name: 'Numbers' }).waitFor();
    expect(await page.getByRole('region', { name: 'Server' }).count()).toBe(0);
    await page.goto('/usage');
    await page.getByRole('table', { name: 'By flow' }).waitFor();
    await axe(page);
    await close();
  });
});
