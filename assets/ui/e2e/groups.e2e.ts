/** Groups of cards, boxes and the map on the canvas. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chatCanvas, type Made } from './flow-support';
import { axe, missing, serviceForTests, shot } from './harness';

interface Stored {
  nodes: {
    id: string;
    type: string;
    position: { x: number; y: number };
    data: { label: string; name: string; group?: string[] };
  }[];
}

describe.skipIf(missing)('groups of cards', () => {
  const { service, signedIn } = serviceForTests();
  const make = async (name: string): Promise<string> => {
    const flowData = await chatCanvas(service);
    return (await service.call<Made>('POST', '/chatflows', { name, type: 'CHATFLOW', flowData })).id;
  };
  const draftOf = async (id: string): Promise<Stored> => {
    const { draft } = await service.call<{ draft: { flowData: string } | null }>('GET', `/flow-drafts/${id}`);
    return JSON.parse(draft?.flowData ?? '{"nodes":[]}') as Stored;
  };
  const node = (page: Page, name: RegExp) => page.locator('[data-node]').filter({ hasText: name });
  const place = async (id: string, name: string) =>
    (await draftOf(id)).nodes.find((one) => one.data.name === name)?.position;
  const groupIn = async (id: string) => (await draftOf(id)).nodes.find((one) => one.data.group);

  it('are made by keyboard, named, moved as one, and taken apart', async () => {
    const id = await make('Grouped');
    const { page, close } = await signedIn(`/flows/${id}`, { width: 1440, height: 900 });
    await node(page, /Scripted/).click();
    await page.keyboard.press('Escape');
    await node(page, /Buffer Memory/).click({ modifiers: ['Shift'] });
    await page.getByText('2 cards chosen').first().waitFor();
    await node(page, /Buffer Memory/).focus();
    await page.keyboard.press('ControlOrMeta+G');
    const panel = page.getByRole('complementary', { name: 'Node' });
    await panel.getByLabel('Name of the card').waitFor();
    await page.keyboard.type('What it knows');
    await expect.poll(async () => (await groupIn(id))?.data.label).toBe('What it knows');
    expect((await groupIn(id))?.type).toBe('stickyNote');
    await axe(page);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await shot(page, `group-${theme}`);
    }
    await page.keyboard.press('Escape');

    // Arrow keys and the pointer move it with its cards.
    await node(page, /What it knows/).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => place(id, 'chatScripted')).toEqual({ x: 0, y: 20 });
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => place(id, 'chatScripted')).toEqual({ x: 0, y: 0 });
    const box = await node(page, /What it knows/).boundingBox();
    if (!box) throw new Error('no group');
    await page.mouse.move(box.x + 20, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + 70, { steps: 8 });
    await page.mouse.up();
    await expect.poll(async () => ((await place(id, 'chatScripted'))?.y ?? 0) > 20).toBe(true);
    const [model, memory] = [await place(id, 'chatScripted'), await place(id, 'bufferMemory')];
    expect((memory?.y ?? 0) - (model?.y ?? 0)).toBe(320);
    expect(await place(id, 'conversationChain')).toEqual({ x: 420, y: 120 });

    // It is there again after a reload, the flow runs with it, and its cards stay without it.
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.reload();
    await node(page, /What it knows/).waitFor();
    expect(await service.call<unknown[]>('GET', `/validation/${id}`)).toEqual([]);
    await service.call('POST', `/flow-drafts/${id}/publish`, {});
    const answer = await service.call<{ text: string }>('POST', `/prediction/${id}`, { question: 'you' });
    expect(answer.text).toBe('Hello you');
    await page.reload();
    await node(page, /What it knows/).focus();
    await page.keyboard.press('ControlOrMeta+Shift+G');
    await expect.poll(async () => (await draftOf(id)).nodes.length).toBe(4);
    expect(await groupIn(id)).toBeUndefined();
    await close();
  });

  it('leave room: the map folds away on a narrow canvas, and when somebody says so', async () => {
    const id = await make('Map');
    const { page, close } = await signedIn(`/flows/${id}?view=canvas`, { width: 1440, height: 900 });
    const map = page.locator('.react-flow__minimap');
    await map.waitFor();
    await page.getByRole('button', { name: 'Map of the canvas' }).click();
    await map.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Map of the canvas' }).click();
    await map.waitFor();
    await page.evaluate(() => localStorage.clear());
    await page.setViewportSize({ width: 800, height: 800 });
    await page.reload();
    await node(page, /Scripted/).waitFor();
    expect(await map.count()).toBe(0);
    await shot(page, 'map-folded');
    await close();
  });
});
