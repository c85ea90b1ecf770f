import { beforeAll, describe, expect, it } from 'vitest';
import type { Page, Route } from 'playwright-core';
import { chatCanvas, liveFlow, type Made } from './flow-support';
import { axe, missing, serviceForTests, shot } from './harness';

interface Stored {
  apikeyid: string | null;
  isPublic: boolean | null;
  chatbotConfig: string | null;
  apiConfig: string | null;
  speechToText: string | null;
  followUpPrompts: string | null;
  publishInstantly: boolean;
}

/** What the configuration of a program says of one server. */
interface McpServerEntry {
  url: string;
  headers: { Authorization: string };
}

describe.skipIf(missing)('the settings of a flow', () => {
  const { service, signedIn } = serviceForTests();
  let flow: Made;
  beforeAll(async () => {
    flow = await liveFlow(service, 'Support assistant');
    await service.call('PUT', `/chatflows/${flow.id}`, {
      chatbotConfig: JSON.stringify({ poweredByTextColor: '#123456' }),
      apiConfig: JSON.stringify({ somethingElse: true }),
    });
    await service.call('POST', '/variables', { name: 'tone', value: 'calm', type: 'static' });
    await service.call('POST', '/credentials', {
      name: 'Team key',
      credentialName: 'openAIApi',
      plainDataObj: { openAIApiKey: 'not-a-key' },
    });
  });

  const stored = (): Promise<Stored> => service.call('GET', `/chatflows/${flow.id}`);
  const chat = async (): Promise<Record<string, unknown>> =>
    JSON.parse((await stored()).chatbotConfig ?? '{}') as Record<string, unknown>;
  const open = (section: string) => signedIn(`/flows/${flow.id}/settings?section=${section}`);
  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  /** Asks the tool as a program does that has this configuration. */
  const callTool = async (
    tool: string,
    { url, headers }: McpServerEntry,
  ): Promise<{ status: number; text: string }> => {
    const answer = await fetch(url.replace(service.page, service.baseUrl), {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: { question: 'Hello' } },
      }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const save = async (page: Page, name: string): Promise<void> => {
    const button = part(page, name).getByRole('button', { name: 'Save', exact: true });
    await button.click();
    // Saved: the form is what is stored again.
    await expect.poll(() => button.isDisabled()).toBe(true);
    await part(page, name).getByText('Unsaved changes').waitFor({ state: 'detached' });
  };

  it('list a site that was refused with one click', async () => {
    const site = 'https://forgotten.example';
    const other = await liveFlow(service, 'Shop help');
    const config = JSON.stringify({ allowedOrigins: ['https://shop.example'], title: 'Shop' });
    await service.call('PUT', `/chatflows/${other.id}`, { chatbotConfig: config });
    for (const origin of [site, site, 'null']) {
      const path = `/api/v1/public-chatbotConfig/${other.id}`;
      await fetch(service.baseUrl + path, { headers: { origin } });
    }
    const { page, close } = await signedIn(`/flows/${other.id}/settings?section=access`);
    const domains = part(page, 'Allowed domains');
    await domains.getByText(/^2 requests, the last/).waitFor();
    await domains.getByText('Pages without a site, such as files').waitFor();
    expect(await domains.getByRole('button', { name: /^Allow/ }).count()).toBe(1);
    await axe(page);
    await domains.getByRole('heading', { name: 'Refused lately' }).scrollIntoViewIfNeeded();
    await shot(page, 'settings-refused');
    await domains.getByRole('button', { name: `Allow ${site}` }).click();
    await expect.poll(() => domains.getByRole('textbox', { name: 'Domain 2' }).inputValue()).toBe(site);
    await domains.getByRole('button', { name: `Allow ${site}` }).waitFor({ state: 'detached' });
    const { chatbotConfig } = await service.call<Stored>('GET', `/chatflows/${other.id}`);
    expect(JSON.parse(chatbotConfig ?? '')).toMatchObject({
      allowedOrigins: ['https://shop.example', site],
      title: 'Shop',
    });
    await close();
  });

  it('bind a key, share a link, name domains and limit the rate', async () => {
    const { page, close } = await open('access');
    await page.getByText('These settings apply to Live at once').waitFor();
    await axe(page);
    await shot(page, 'settings-access');

    const domains = part(page, 'Allowed domains');
    await domains.getByRole('button', { name: 'Add domain' }).click();
    await page.keyboard.type('https://shop.example/path');
    await domains.getByText('without a path').waitFor();
    expect(await domains.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await domains.getByLabel('Domain 1').fill('https://shop.example');
    await domains.getByLabel('Message for other sites').fill('Not from here');
    await save(page, 'Allowed domains');
    expect(await chat()).toMatchObject({
      poweredByTextColor: '#123456',
      allowedOrigins: ['https://shop.example'],
      allowedOriginsError: 'Not from here',
    });

    const rate = part(page, 'Rate limit');
    await rate.getByLabel('Limit how often one address may ask').click();
    await rate.getByLabel('Requests').fill('none');
    await rate.getByText('Write a whole number of 1 or more.').first().waitFor();
    await rate.getByLabel('Requests').fill('100');
    await rate.getByLabel('In seconds').fill('60');
    await save(page, 'Rate limit');
    expect(JSON.parse((await stored()).apiConfig ?? '')).toMatchObject({
      somethingElse: true,
      rateLimit: { status: true, limitMax: '100', limitDuration: '60' },
    });

    await part(page, 'Shared link').getByRole('switch').click();
    await part(page, 'Shared link').getByText(`/chat/${flow.id}`).waitFor();
    await expect.poll(async () => (await stored()).isPublic).toBe(true);

    await part(page, 'API key').getByRole('combobox').click();
    await page.getByRole('option', { name: /throwaway/ }).click();
    await save(page, 'API key');
    expect((await stored()).apikeyid).toBeTruthy();
    await axe(page);
    await page.reload();
    await expect.poll(() => page.getByLabel('Domain 1').inputValue()).toBe('https://shop.example');
    await part(page, 'API key').getByRole('combobox').click();
    await page.getByRole('option', { name: /Everybody/ }).click();
    await save(page, 'API key');
    expect((await stored()).apikeyid).toBeNull();
    await close();
  });

  it('give the chat its look, prompts, feedback and contact form', async () => {
    const { page, close } = await open('chat');
    const look = part(page, 'Look');
    await look.getByLabel('Title', { exact: false }).first().fill('Shop help');
    await look.getByLabel('Welcome message').fill('Hello there');
    await look.getByLabel('Picture in the title').fill('nowhere');
    await look.getByText('begins with https://').waitFor();
    await look.getByLabel('Picture in the title').fill('https://shop.example/a.png');
    await save(page, 'Look');

    const starters = part(page, 'Starter prompts');
    await starters.getByRole('button', { name: 'Add prompt' }).click();
    await page.keyboard.type('Where is my parcel?');
    await page.keyboard.press('Enter');
    await page.keyboard.type('What do you sell?');
    await save(page, 'Starter prompts');

    await part(page, 'Feedback').getByRole('switch').click();
    await expect.poll(async () => (await chat()).chatFeedback).toEqual({ status: true });

    const leads = part(page, 'Contact form');
    await leads.getByLabel('Ask people who they are').click();
    await leads.getByText('Choose at least one thing').waitFor();
    await leads.getByLabel('E-mail').click();
    await save(page, 'Contact form');

    const follow = part(page, 'Follow-up prompts');
    await follow.getByLabel('Suggest what to ask next').click();
    await follow.getByRole('combobox', { name: /Provider/ }).click();
    await page.getByRole('option', { name: 'OpenAI', exact: true }).click();
    await follow.getByRole('combobox', { name: /Credential/ }).click();
    await page.getByRole('option', { name: 'Team key' }).click();
    await follow.getByLabel('Model').fill('some-model');
    expect(await page.locator('main').evaluate((main) => main.scrollHeight - main.clientHeight)).toBe(0);
    await axe(page);
    await shot(page, 'settings-chat');
    await save(page, 'Follow-up prompts');

    expect(await chat()).toMatchObject({
      poweredByTextColor: '#123456',
      title: 'Shop help',
      welcomeMessage: 'Hello there',
      titleAvatarSrc: 'https://shop.example/a.png',
      starterPrompts: { '0': { prompt: 'Where is my parcel?' }, '1': { prompt: 'What do you sell?' } },
      leads: { status: true, email: true, name: false },
      followUpPrompts: { status: true },
    });
    const followUps = JSON.parse((await stored()).followUpPrompts ?? '') as Record<string, unknown>;
    expect(followUps).toMatchObject({
      status: true,
      selectedProvider: 'chatOpenAI',
      chatOpenAI: { modelName: 'some-model' },
    });
    await close();
  });

  it('ask before a link leaves edits behind', async () => {
    const { page, close } = await open('chat');
    const title = part(page, 'Look').getByLabel('Title', { exact: false }).first();
    const before = await title.inputValue();
    await title.fill('Half a thought');
    // Another group of the settings keeps the edits, so nobody is asked.
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await part(page, 'Allowed domains').waitFor();
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    expect(await title.inputValue()).toBe('Half a thought');

    const ask = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    const leave = page.getByRole('link', { name: 'Variables', exact: true });
    await leave.click();
    await ask.waitFor();
    await axe(page);
    await ask.getByRole('button', { name: 'Cancel' }).click();
    await ask.waitFor({ state: 'detached' });
    expect(await title.inputValue()).toBe('Half a thought');
    expect(page.url()).toContain('/settings?section=chat');

    await leave.click();
    await ask.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => page.url()).toContain('/variables');
    await page.goBack();
    await expect.poll(() => title.inputValue()).toBe(before);
    await leave.click();
    await expect.poll(() => page.url()).toContain('/variables');
    await close();
  });

  it('take files and speech', async () => {
    const { page, close } = await open('files');
    const uploads = part(page, 'File uploads');
    await uploads.getByLabel('Let people attach documents').click();
    await uploads.getByLabel('PDF', { exact: true }).click();
    await uploads.getByLabel('CSV', { exact: true }).click();
    await save(page, 'File uploads');
    expect((await chat()).fullFileUpload).toMatchObject({
      status: true,
      allowedUploadFileTypes: 'application/pdf,text/csv',
      pdfFile: { usage: 'perPage' },
    });
    const speech = part(page, 'Speech to text');
    await speech.getByRole('combobox', { name: /Provider/ }).click();
    await page.getByRole('option', { name: 'LocalAI' }).click();
    await speech.getByLabel('Address').fill('http://localhost:8080');
    await axe(page);
    await shot(page, 'settings-files');
    await save(page, 'Speech to text');
    expect(JSON.parse((await stored()).speechToText ?? '')).toMatchObject({
      localAISTT: { status: true, baseUrl: 'http://localhost:8080' },
    });
    await close();
  });

  it('list what a request may change', async () => {
    const { page, close } = await open('overrides');
    const overrides = part(page, 'Override configuration');
    await overrides.getByLabel('Let requests change settings').click();
    await overrides.getByLabel('Search settings').fill('delay');
    await overrides.getByLabel('Delay per Word (ms)').click();
    await overrides.getByLabel('Search settings').fill('no such thing');
    await overrides.getByRole('button', { name: 'Clear filters' }).click();
    await overrides.getByLabel('tone', { exact: true }).click();
    expect(await overrides.getByLabel('Session Id').isDisabled()).toBe(true);
    await overrides.getByText('2 settings allowed').waitFor();
    await save(page, 'Override configuration');
    await axe(page);
    await shot(page, 'settings-overrides');
    expect(JSON.parse((await stored()).apiConfig ?? '')).toMatchObject({
      somethingElse: true,
      overrideConfig: {
        status: true,
        nodes: { 'Scripted Chat Model': [{ name: 'delayMs', type: 'number', enabled: true }] },
        variables: [{ name: 'tone', type: 'static', enabled: true }],
      },
    });
    await page.reload();
    await expect.poll(() => overrides.getByLabel('Delay per Word (ms)').isChecked()).toBe(true);
    await close();
  });

  it('run code on answers', async () => {
    const { page, close } = await open('code');
    const code = part(page, 'Code after the answer');
    await code.getByLabel('Run code on every answer').click();
    await code.getByRole('textbox', { name: 'JavaScript' }).click();
    await page.keyboard.insertText("return $flow.rawOutput + '!';");
    await save(page, 'Code after the answer');
    await axe(page);
    await shot(page, 'settings-code');
    const said = await service.call<{ text: string }>('POST', `/prediction/${flow.id}`, { question: 'you' });
    expect(said.text).toBe('Hello you!');
    await close();
  });

  it('publish instantly, unless a draft is in the way', async () => {
    const { page, close } = await open('publishing');
    const publishing = part(page, 'Publish instantly');
    await publishing.getByRole('switch').click();
    await expect.poll(async () => (await stored()).publishInstantly).toBe(true);
    await expect.poll(() => publishing.getByRole('switch').isChecked()).toBe(true);
    await publishing.getByRole('switch').click();
    await expect.poll(async () => (await stored()).publishInstantly).toBe(false);
    await service.call('PUT', `/flow-drafts/${flow.id}`, { flowData: await chatCanvas(service, 'Other') });
    await page.reload();
    await publishing.getByText('There are unpublished changes').waitFor();
    expect(await publishing.getByRole('switch').isDisabled()).toBe(true);
    await axe(page);
    await shot(page, 'settings-publishing');
    await close();
  });

  it('fit a narrow page', async () => {
    const { page, close } = await signedIn(`/flows/${flow.id}/settings`, { width: 390 });
    await page.getByRole('link', { name: 'Overrides' }).click();
    await part(page, 'Override configuration').waitFor();
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(over).toBeLessThanOrEqual(0);
    await axe(page);
    await shot(page, 'settings-narrow');
    await close();
  });

  it('make a tool of MCP of the flow, which a program calls by the configuration shown', async () => {
    const own = await liveFlow(service, 'Help for buyers');
    const other = await liveFlow(service, 'Prices');
    // A second try finds the tools of the first, and a name is a tool's own.
    const [tool, taken] = [own, other].map(({ id }) => `tool_${id.slice(0, 8)}`) as [string, string];
    await service.call('POST', `/mcp-server/${other.id}`, { toolName: taken, description: 'x' });
    const { page, close } = await signedIn(`/flows/${own.id}/settings?section=mcp`, {
      allowed: [/mcp-server\/.*409/],
    });
    await page.getByRole('button', { name: 'Make it a tool' }).waitFor();
    await axe(page);
    const name = page.getByLabel('Name of the tool');
    expect(await name.inputValue()).toBe('help_for_buyers');
    await name.fill('two words');
    await page.getByText('Use 1 to 64 letters').waitFor();
    await page.getByLabel('What it does, and when to use it').fill('Answers questions of buyers.');
    expect(await page.getByRole('button', { name: 'Make it a tool' }).isDisabled()).toBe(true);
    await name.fill(tool);
    await page.getByRole('button', { name: 'Make it a tool' }).click();
    const dialog = page.getByRole('dialog', { name: 'The token of the tool' });
    const config = async (): Promise<McpServerEntry> => {
      const shown = await dialog.getByRole('region', { name: 'Configuration' }).locator('pre').textContent();
      return (JSON.parse(shown ?? '') as { mcpServers: Record<string, McpServerEntry> }).mcpServers[
        tool
      ] as McpServerEntry;
    };
    const first = await config();
    await axe(page);
    await shot(page, 'settings-mcp-token');
    expect((await callTool(tool, first)).text).toContain('Hello Hello');
    await dialog.getByRole('checkbox').click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'Offer the flow as a tool' }).waitFor();
    expect(await page.content()).not.toContain(first.headers.Authorization.replace('Bearer ', ''));
    await axe(page);
    await shot(page, 'settings-mcp');

    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await callTool(tool, first)).status).toBe(200);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Make another token' }).click();
    await dialog.waitFor();
    const second = await config();
    expect((await callTool(tool, first)).status).toBe(401);
    expect((await callTool(tool, second)).status).toBe(200);
    await dialog.getByRole('checkbox').click();
    await dialog.getByRole('button', { name: 'Done' }).click();

    // That it is off is said when it is, and not when it was asked for.
    const held: Route[] = [];
    await page.route('**/api/v1/mcp-server/*', async (route) => {
      if (route.request().method() === 'PUT') held.push(route);
      else await route.continue();
    });
    const offered = page.getByRole('switch', { name: 'Offer the flow as a tool' });
    await offered.click();
    await expect.poll(() => offered.isChecked()).toBe(false);
    expect(await page.getByText('Switched off: calls get status 404.').count()).toBe(0);
    await expect.poll(() => held.length).toBe(1);
    await held[0]?.continue();
    await page.getByText('Switched off: calls get status 404.').waitFor();
    await page.unroute('**/api/v1/mcp-server/*');
    expect((await callTool(tool, second)).status).toBe(404);

    // The name of another flow's tool is refused beside the field.
    await name.fill(taken);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('choose another').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Reset', exact: true }).click();

    await page.getByRole('button', { name: 'Remove the tool' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove the tool' }).click();
    await page.getByRole('button', { name: 'Make it a tool' }).waitFor();
    await close();
  });
});
