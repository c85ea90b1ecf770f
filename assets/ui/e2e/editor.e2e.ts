import { beforeAll, describe, expect, it } from 'vitest';
import { agentFlow, chatCanvas, type Made } from './flow-support';
import { axe, focused, missing, serviceForTests, shot } from './harness';
import type { Page } from 'playwright-core';

interface StoredNode {
  id: string;
  position: { x: number; y: number };
  data: { label: string; name: string; inputs: Record<string, unknown> };
}
interface Stored {
  nodes: StoredNode[];
  edges: { source: string; target: string; sourceHandle: string }[];
}

describe.skipIf(missing)('the canvas editor', () => {
  const { service, signedIn } = serviceForTests();
  let agent: Made;
  beforeAll(async () => {
    agent = await agentFlow(service, 'Triage');
  });
  const make = async (name: string, type: string, flowData?: string): Promise<string> =>
    (await service.call<Made>('POST', '/chatflows', { name, type, ...(flowData ? { flowData } : {}) })).id;
  const draftOf = async (id: string): Promise<Stored> => {
    const { draft } = await service.call<{ draft: { flowData: string } | null }>('GET', `/flow-drafts/${id}`);
    return JSON.parse(draft?.flowData ?? '{"nodes":[],"edges":[]}') as Stored;
  };
  const node = (page: Page, name: RegExp) => page.locator('[data-node]').filter({ hasText: name });
  const saved = (page: Page): Promise<void> => page.getByText('Saved', { exact: true }).waitFor();

  it('draws a flow from an empty canvas, and saves it by itself', async () => {
    const id = await make('From nothing', 'AGENTFLOW');
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 900 });
    const cards = page.getByRole('complementary', { name: 'Cards' });
    await cards.locator('[data-card=startAgentflow]').click();
    await node(page, /Start/).waitFor();
    await shot(page, 'editor-first');
    await cards.locator('[data-card=directReplyAgentflow]').click();
    await node(page, /Direct Reply 0/).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.react-flow__handle.source').first().click();
    await page.getByText('Connecting Start').waitFor();
    await node(page, /Direct Reply 0/).click();
    await saved(page);
    const stored = await draftOf(id);
    expect(stored.nodes.map((one) => one.id)).toEqual(['startAgentflow_0', 'directReplyAgentflow_0']);
    expect(stored.edges).toHaveLength(1);
    await axe(page);
    await close();
  });

  it('looks well with every kind of step', async () => {
    for (const width of [1440, 1024])
      for (const scheme of ['light', 'dark'] as const) {
        const { page, close } = await signedIn(`/flows/${agent.id}`, { width, height: 900, scheme });
        await node(page, /Billing agent/).click();
        await page.getByRole('heading', { name: 'Billing agent' }).waitFor();
        await axe(page);
        await shot(page, `editor-steps-${width}-${scheme}`);
        await close();
      }
  });

  it('sets a card with every kind of input', async () => {
    const id = await make('Panel', 'AGENTFLOW');
    await service.call('POST', '/variables', { name: 'company', value: 'Acme', type: 'static' });
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 1000 });
    const cards = page.getByRole('complementary', { name: 'Cards' });
    await cards.locator('[data-card=startAgentflow]').click();
    await cards.locator('[data-card=llmAgentflow]').click();
    const panel = page.getByRole('complementary', { name: 'Node' });
    await panel.getByLabel('Name of the card').fill('Writer');
    await panel.getByRole('combobox', { name: /^Model/ }).click();
    await page.getByRole('combobox', { name: 'Search' }).fill('scripted');
    await page.getByRole('option', { name: /Scripted/ }).click();
    await panel.getByRole('group', { name: /^Settings of Scripted/ }).waitFor();
    await panel.getByRole('button', { name: 'Add to Messages' }).click();
    const text = panel.getByLabel('Content');
    await text.fill('You work for {{comp');
    await page.getByRole('option', { name: /\$vars\.company/ }).waitFor();
    await axe(page);
    await shot(page, 'editor-panel-offers');
    await text.press('Enter');
    await expect.poll(() => text.inputValue()).toBe('You work for {{$vars.company}}');
    await saved(page);
    const inputs = (await draftOf(id)).nodes[1]?.data.inputs;
    expect(inputs?.llmModel).toBe('chatScripted');
    expect(inputs?.llmMessages).toEqual([{ role: '', content: 'You work for {{$vars.company}}' }]);
    expect((await draftOf(id)).nodes[1]?.data.label).toBe('Writer');
    await cards.locator('[data-card=conditionAgentflow]').click();
    await panel.getByRole('group', { name: 'Conditions' }).waitFor();
    await axe(page);
    await shot(page, 'editor-panel-condition');
    await cards.locator('[data-card=httpAgentflow]').click();
    await panel.getByText('Connect Credential').waitFor();
    await axe(page);
    await shot(page, 'editor-panel-http');
    await cards.locator('[data-card=customFunctionAgentflow]').click();
    await panel.locator('.cm-content').waitFor();
    await shot(page, 'editor-panel-code');
    await axe(page);
    await close();
  });

  it('is moved, undone and redone by keyboard', async () => {
    const id = await make('Keys', 'CHATFLOW', await chatCanvas(service));
    const { page, close } = await signedIn(`/flows/${id}`);
    const chain = node(page, /Conversation Chain/);
    await chain.focus();
    // Two keys within a second are one step: the clock of the page stands while they are pressed, however long that takes.
    await page.clock.setFixedTime(Date.now());
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowDown');
    await saved(page);
    const at = async () =>
      (await draftOf(id)).nodes.find((one) => one.data.name === 'conversationChain')?.position;
    await expect.poll(at).toEqual({ x: 520, y: 140 });
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(at).toEqual({ x: 420, y: 120 });
    await page.keyboard.press('ControlOrMeta+Shift+Z');
    await expect.poll(at).toEqual({ x: 520, y: 140 });
    await page.keyboard.press('Delete');
    await expect.poll(async () => (await draftOf(id)).nodes.length).toBe(3);
    expect((await draftOf(id)).edges).toEqual([]);
    expect(await focused(page)).toMatch(/./);
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(async () => (await draftOf(id)).edges.length).toBe(2);
    await close();
  });

  it('shows what two people did to one draft, and lets one stay', async () => {
    const id = await make('Two at once', 'CHATFLOW', await chatCanvas(service));
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 900, allowed: [/409/] });
    await node(page, /Conversation Chain/).waitFor();
    await service.call('PUT', `/flow-drafts/${id}`, { flowData: await chatCanvas(service, 'Theirs') });
    await node(page, /Buffer Memory/).focus();
    await page.keyboard.press('Delete');
    await page.getByText('Somebody else changed this draft').waitFor();
    expect(JSON.stringify(await draftOf(id))).toContain('Theirs');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'What yours changes of theirs' }).waitFor();
    await axe(page);
    await shot(page, 'editor-conflict');
    await page.getByRole('button', { name: 'Take mine' }).click();
    await expect.poll(async () => JSON.stringify(await draftOf(id))).not.toContain('Theirs');
    expect((await draftOf(id)).nodes.map((one) => one.data.name)).not.toContain('bufferMemory');
    await saved(page);
    await close();
  });

  it('connects by dragging, offers what fits on empty canvas, and copies', async () => {
    const id = await make('By hand', 'CHATFLOW');
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 900 });
    const cards = page.getByRole('complementary', { name: 'Cards' });
    await cards.getByRole('searchbox').fill('conversation chain');
    await page.keyboard.press('Enter');
    await node(page, /Conversation Chain/).waitFor();
    await page.keyboard.press('Escape');
    const input = page.locator('.react-flow__handle.target').first();
    const from = await input.boundingBox();
    if (!from) throw new Error('no handle');
    await page.mouse.move(from.x + 4, from.y + 4);
    await page.mouse.down();
    await page.mouse.move(from.x - 120, from.y + 90, { steps: 6 });
    await page.mouse.up();
    const list = page.getByRole('dialog', { name: 'Cards that fit here' });
    await list.waitFor();
    await axe(page);
    await shot(page, 'editor-fits');
    await list.getByRole('searchbox').fill('scripted');
    await page.keyboard.press('Enter');
    await node(page, /Scripted/).waitFor();
    await expect.poll(async () => (await draftOf(id)).edges.length).toBe(1);
    const chain = (await draftOf(id)).nodes.find((one) => one.data.name === 'conversationChain');
    expect(chain?.data.inputs.model).toBe('{{chatScripted_0.data.instance}}');
    await node(page, /Conversation Chain/).focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.getByText('2 cards chosen').first().waitFor();
    await shot(page, 'editor-chosen');
    await axe(page);
    await page.keyboard.press('ControlOrMeta+C');
    await page.keyboard.press('ControlOrMeta+V');
    await expect.poll(async () => (await draftOf(id)).edges.length).toBe(2);
    expect((await draftOf(id)).nodes).toHaveLength(4);
    await close();
  });
});
