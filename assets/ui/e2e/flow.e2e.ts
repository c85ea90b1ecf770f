import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { agentFlow, chatCanvas, liveFlow, type Made } from './flow-support';
import { axe, focused, missing, serviceForTests, shot } from './harness';
import type { Page } from 'playwright-core';

const run = promisify(execFile);

/** The text of the JSON editor, whatever of it is drawn. */
async function write(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: /^JSON of/ });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

const canvas = (page: Page) => page.getByRole('group', { name: /^Canvas of/ });

interface Status {
  draft: { flowData: string; updatedDate: string } | null;
}

describe.skipIf(missing)('a flow', () => {
  const { service, signedIn } = serviceForTests();
  let chat: Made;
  let agent: Made;
  beforeAll(async () => {
    chat = await liveFlow(service, 'Support assistant');
    agent = await agentFlow(service, 'Triage');
  });
  const draftOf = (id: string): Promise<Status> => service.call('GET', `/flow-drafts/${id}`);

  it('shows its canvas, with every kind of node', async () => {
    const { page, close } = await signedIn(`/flows/${agent.id}`);
    for (const name of [/^Start/, /^Which topic/, /^Each item/, /^Look up/, /^Something new/])
      await canvas(page).getByRole('button', { name }).waitFor();
    await axe(page);
    await shot(page, 'flow-agent');
    await page.getByRole('button', { name: /^Billing agent/ }).click();
    await page.getByRole('heading', { name: 'Billing agent' }).waitFor();
    expect(page.url()).toContain('node=billing_0');
    await axe(page);
    await shot(page, 'flow-inspector');
    await page.reload();
    await page.getByRole('heading', { name: 'Billing agent' }).waitFor();
    await close();
  });

  it('is walked by keyboard alone', async () => {
    const { page, close } = await signedIn(`/flows/${agent.id}`);
    const start = canvas(page).getByRole('button', { name: /^Start/ });
    await start.waitFor();
    const stops = page.locator('[data-node][tabindex="0"]');
    await expect.poll(() => stops.count()).toBe(1);
    await start.focus();
    await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(() => focused(page)).toMatch(/^Which topic/);
    await page.keyboard.press('Alt+ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Node' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/agent/);
    await page.keyboard.press('Home');
    await expect.poll(() => focused(page)).toMatch(/^Start/);
    await close();
  });

  it('has an outline, first on narrow pages', async () => {
    const { page, close } = await signedIn(`/flows/${chat.id}`, { width: 390 });
    const item = page.getByRole('listitem').filter({ hasText: 'Conversation Chain' }).last();
    await item.getByText('Takes from Scripted Chat Model, Buffer Memory').waitFor();
    await axe(page);
    await shot(page, 'flow-outline-narrow');
    await item.getByRole('button').click();
    await page
      .getByRole('complementary', { name: 'Node' })
      .getByRole('button', { name: 'Go to Scripted Chat Model' })
      .waitFor();
    await axe(page);
    await shot(page, 'flow-inspector-narrow');
    await close();
  });

  it('is renamed in place', async () => {
    const flow = await liveFlow(service, 'First name');
    const { page, close } = await signedIn(`/flows/${flow.id}`);
    await page.getByRole('button', { name: 'First name' }).click();
    await page.getByLabel('Name of the flow').fill('Second name');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Second name' }).waitFor();
    await expect
      .poll(async () => (await service.call<{ name: string }>('GET', `/chatflows/${flow.id}`)).name)
      .toBe('Second name');
    await close();
  });

  it('is edited as JSON: faults are shown, a draft is saved, its changes are counted', async () => {
    const flow = await liveFlow(service, 'Edited');
    const { page, close } = await signedIn(`/flows/${flow.id}`);
    await page.getByRole('radio', { name: 'Edit JSON' }).click();
    await write(page, '{\n  "nodes": [],\n  "edges": [}\n}');
    await page.getByText('Not valid JSON at line 3').waitFor();
    await axe(page);
    await shot(page, 'flow-json-fault');
    expect(await page.getByRole('button', { name: 'Save draft' }).isDisabled()).toBe(true);
    await write(page, '{"nodes": 1, "edges": []}');
    await page.getByText('The list “nodes” is missing.').waitFor();
    const next = await chatCanvas(service, 'Good day');
    await write(page, next);
    await page.getByText('Unsaved', { exact: true }).waitFor();
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText('Draft saved', { exact: true }).waitFor();
    expect(JSON.parse((await draftOf(flow.id)).draft?.flowData ?? '')).toEqual(JSON.parse(next));
    await page.getByRole('radio', { name: 'Canvas' }).click();
    await page.getByRole('button', { name: '1 change since Live' }).click();
    await page.getByRole('button', { name: /Scripted Chat Model.*Fallback Reply/ }).waitFor();
    await page.getByRole('switch', { name: 'Show on canvas' }).click();
    await axe(page);
    await shot(page, 'flow-changes');
    await close();
  });

  it('keeps the text when somebody else saved, and after a reload', async () => {
    const flow = await liveFlow(service, 'Two people');
    const { page, close } = await signedIn(`/flows/${flow.id}?view=json`, { allowed: [/409/] });
    await page.getByRole('textbox', { name: /^JSON of/ }).waitFor();
    const mine = await chatCanvas(service, 'Mine');
    await write(page, mine);
    await service.call('PUT', `/flow-drafts/${flow.id}`, { flowData: await chatCanvas(service, 'Theirs') });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Your edits were not saved').waitFor();
    await axe(page);
    await shot(page, 'flow-conflict');
    expect((await draftOf(flow.id)).draft?.flowData).toContain('Theirs');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('You have edits that were never saved').waitFor();
    await page.getByRole('button', { name: 'Take them up' }).click();
    await page.getByText('Unsaved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(async () => (await draftOf(flow.id)).draft?.flowData).toContain('Mine');
    await page.getByText('Saved', { exact: true }).waitFor();
    await close();
  });

  it('offers kept edits beside the text, which waits; and follows what is published', async () => {
    const flow = await liveFlow(service, 'Twice');
    const { page, close } = await signedIn(`/flows/${flow.id}?view=json`);
    page.setDefaultTimeout(15_000);
    const editor = page.getByRole('textbox', { name: /^JSON of/ });
    await editor.waitFor();
    await write(page, await chatCanvas(service, 'Kept words'));
    await page.getByText('Unsaved', { exact: true }).waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('You have edits that were never saved').waitFor();
    await editor.waitFor();
    await write(page, 'lost?');
    expect(await editor.textContent()).not.toContain('lost?');
    await axe(page);
    await page.getByRole('button', { name: 'Take them up' }).click();
    await page.getByText('Unsaved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await write(page, await chatCanvas(service, 'Second words'));
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText('Draft saved', { exact: true }).waitFor();
    expect((await draftOf(flow.id)).draft?.flowData).toContain('Second words');
    await write(page, '{"nodes": [], "edges": []}');
    await page.getByRole('button', { name: 'More ways to publish' }).click();
    await page.getByRole('menuitem', { name: 'Discard draft' }).click();
    await page.getByText('Edits that you did not save are lost too.').waitFor();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await expect.poll(() => editor.textContent()).toContain('chatScripted_0');
    await close();
  });

  it('saves to Live where there are no drafts, after asking', async () => {
    const flowData = await chatCanvas(service);
    const flow = await service.call<Made>('POST', '/chatflows', {
      name: 'Straight',
      type: 'CHATFLOW',
      flowData,
      publishInstantly: true,
    });
    const { page, close } = await signedIn(`/flows/${flow.id}?view=json`);
    await page.getByRole('textbox', { name: /^JSON of/ }).waitFor();
    await write(page, await chatCanvas(service, 'Straight away'));
    await page.getByRole('button', { name: 'Save to Live' }).click();
    const dialog = page.getByRole('alertdialog');
    await expect.poll(() => focused(page)).toBe('Cancel');
    await dialog.getByRole('button', { name: 'Save to Live' }).click();
    await page.getByText('Saved to Live', { exact: true }).waitFor();
    const live = await service.call<{ flowData: string }>('GET', `/chatflows/${flow.id}`);
    expect(live.flowData).toContain('Straight away');
    await close();
  });

  it('lists problems and leads to their nodes', async () => {
    const canvas = JSON.parse(await chatCanvas(service)) as {
      nodes: { data: { name: string; inputs: Record<string, unknown> } }[];
      edges: unknown[];
    };
    for (const { data } of canvas.nodes) {
      if (data.name === 'conversationChain') data.inputs.model = '';
    }
    const flow = await service.call<Made>('POST', '/chatflows', {
      name: 'Broken',
      type: 'CHATFLOW',
      flowData: JSON.stringify({ ...canvas, edges: canvas.edges.slice(1) }),
    });
    const { page, close } = await signedIn(`/flows/${flow.id}`);
    await page.getByRole('button', { name: /^\d+ problems?$/ }).click();
    await page
      .getByRole('button', { name: /Go to Conversation Chain/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Conversation Chain' }).waitFor();
    await axe(page);
    await shot(page, 'flow-problems');
    await close();
  });

  it('shows code that works as it is', async () => {
    const { page, close } = await signedIn(`/flows/${chat.id}`);
    await page.getByRole('button', { name: 'API', exact: true }).click();
    const answers: Record<string, (code: string) => Promise<string>> = {
      cURL: (code) => run('bash', ['-c', code.replace('curl ', 'curl -s ')]).then((done) => done.stdout),
      Python: (code) => run('python3', ['-c', code]).then((done) => done.stdout),
      JavaScript: (code) => run('node', ['-e', code]).then((done) => done.stdout),
    };
    for (const [tab, ask] of Object.entries(answers)) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      for (const way of ['Whole answer', 'Word by word']) {
        await page.getByRole('radio', { name: way }).click();
        const lines = page.getByRole('textbox', { name: `${tab} code` }).locator('.cm-line');
        await lines.first().waitFor();
        const shown = await lines.allTextContents();
        const code = shown.join('\n').replaceAll(service.page, service.baseUrl);
        const said = await ask(code);
        expect(
          said.includes('Hello Hello') || /"Hello".*\n[^]*Hello/.test(said),
          `${tab}, ${way}: ${said}`,
        ).toBe(true);
      }
    }
    await axe(page);
    await shot(page, 'flow-api');
    await page.getByRole('tab', { name: 'Embed' }).click();
    await page.getByText('/widget.js').waitFor();
    await axe(page);
    await shot(page, 'flow-embed');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('API');
    await close();
  });

  it('shows code of OpenAI’s protocol that works once it has a key', async () => {
    const { page, close } = await signedIn(`/flows/${chat.id}`);
    await page.getByRole('button', { name: 'API', exact: true }).click();
    await page.getByRole('tab', { name: 'OpenAI' }).click();
    await page.getByText('Programs of this protocol always need an API key').waitFor();
    const shownCode = async (language: string): Promise<string> => {
      await page.getByRole('radio', { name: language, exact: true }).click();
      const lines = page.getByRole('textbox', { name: `${language} code` }).locator('.cm-line');
      await lines.first().waitFor();
      const code = (await lines.allTextContents()).join('\n');
      return code.replaceAll(service.page, service.baseUrl).replaceAll('YOUR_API_KEY', service.apiKey);
    };
    for (const way of ['Whole answer', 'Word by word']) {
      await page.getByRole('radio', { name: way }).click();
      const code = await shownCode('cURL');
      const { stdout } = await run('bash', ['-c', code.replace('curl ', 'curl -s ')]);
      expect(stdout, way).toMatch(/"content":"Hello[^]*Hello/);
      for (const language of ['Python', 'JavaScript']) {
        const other = await shownCode(language);
        expect(other).toContain(`${service.baseUrl}/api/v1/openai/v1`);
        expect(other).toContain(chat.id);
      }
    }
    expect(await page.content()).not.toContain(service.apiKey);
    await axe(page);
    await shot(page, 'flow-api-openai');
    await close();
  });

  it('leads from its API to the token of the tool that it is by MCP', async () => {
    const { page, close } = await signedIn(`/flows/${chat.id}`);
    await page.getByRole('button', { name: 'API', exact: true }).click();
    await page.getByRole('tab', { name: 'MCP' }).click();
    await page.getByText('This flow is no tool yet').waitFor();
    await page.getByText(`/api/v1/mcp/${chat.id}`).waitFor();
    await axe(page);
    await shot(page, 'flow-api-mcp');
    await page.getByRole('link', { name: 'Switch it on and get its token' }).click();
    await page.getByRole('button', { name: 'Make it a tool' }).waitFor();
    await close();
  });

  it('says when a flow needs a key', async () => {
    const flow = await liveFlow(service, 'With a key');
    const [key] = await service.call<{ id: string }[]>('GET', '/apikey');
    await service.call('PUT', `/chatflows/${flow.id}`, { apikeyid: key?.id });
    const { page, close } = await signedIn(`/flows/${flow.id}`);
    await page.getByRole('button', { name: 'API', exact: true }).click();
    await page.getByText('This flow needs an API key').waitFor();
    await page.getByText('YOUR_API_KEY').first().waitFor();
    expect(await page.content()).not.toContain(service.apiKey);
    await axe(page);
    await shot(page, 'flow-api-key');
    await close();
  });
});
