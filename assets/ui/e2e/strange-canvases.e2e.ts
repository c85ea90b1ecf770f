/** Canvases that no editor of today would draw: they are drawn, kept as they are, and explained. */
import { describe, expect, it } from 'vitest';
import { many } from './canvases';
import { draftsOf, node, panel, saved, type StoredNode } from './editor-support';
import { chatCanvas } from './flow-support';
import { axe, focused, missing, serviceForTests, shot } from './harness';

interface Canvas {
  nodes: (StoredNode & Record<string, unknown>)[];
  edges: Record<string, unknown>[];
}

describe.skipIf(missing)('a canvas', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };
  const canvas = async (change: (canvas: Canvas) => void): Promise<string> => {
    const drawn = JSON.parse(await chatCanvas(service)) as Canvas;
    change(drawn);
    return JSON.stringify(drawn);
  };
  /** One with a connection to a place that its card has no more, and one from a card that is gone. */
  const leadingNowhere = (): Promise<string> =>
    canvas((drawn) => {
      const [first] = drawn.edges;
      if (!first) throw new Error('no edge');
      first.targetHandle = 'conversationChain_0-input-brain-BaseBrain';
      drawn.edges.push({ ...first, id: 'ghost', source: 'ghost_0', sourceHandle: 'ghost_0-output' });
    });
  const find = (drawn: Canvas, name: string): StoredNode & Record<string, unknown> => {
    const found = drawn.nodes.find((one) => one.data.name === name);
    if (!found) throw new Error(`There is no ${name}.`);
    return found;
  };

  it('with a card that the server does not know keeps it, and says so', async () => {
    const flowData = await canvas((drawn) => {
      const memory = find(drawn, 'bufferMemory');
      memory.data.name = 'memoryOfTheFuture';
      memory.data.label = 'Memory of the Future';
      memory.data.strange = { deep: [1, { two: 'three' }] };
    });
    const id = await drafts.make('Unknown', 'CHATFLOW', flowData);
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Memory of the Future/).click();
    await panel(page).getByText('This server does not know this card. It is kept as it is.').waitFor();
    await axe(page);
    await shot(page, 'strange-unknown');
    await page.keyboard.press('Escape');
    await node(page, /Memory of the Future/).focus();
    await page.keyboard.press('ArrowDown');
    await saved(page);
    await expect.poll(() => drafts.place(id, 'memoryOfTheFuture')).toEqual({ x: 0, y: 340 });
    const before = find(JSON.parse(flowData) as Canvas, 'memoryOfTheFuture');
    const after = (await drafts.read(id)).nodes.find((one) => one.data.name === 'memoryOfTheFuture');
    expect(after?.data).toEqual(before.data);
    await close();
  });

  it('with a card of an older or newer version says which one the server has', async () => {
    const flowData = await canvas((drawn) => {
      find(drawn, 'bufferMemory').data.version = 0.5;
      find(drawn, 'conversationChain').data.version = 99;
    });
    const id = await drafts.make('Versions', 'CHATFLOW', flowData);
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Buffer Memory/).click();
    await panel(page)
      .getByText(/drawn as version 0\.5\. The card of this server is newer/)
      .waitFor();
    await axe(page);
    await shot(page, 'strange-old');
    await page.keyboard.press('Escape');
    await node(page, /Conversation Chain/).focus();
    await page.keyboard.press('Enter');
    await panel(page)
      .getByText(/drawn as version 99, and this server has version/)
      .waitFor();
    // Looking at a card changes nothing of it.
    expect(JSON.parse(flowData)).toMatchObject({
      nodes: (await drafts.read(id)).nodes.map(({ data }) => ({ data })),
    });
    await close();
  });

  it('with a connection to a place that is gone draws it, and says what to do', async () => {
    const id = await drafts.make('Gone', 'CHATFLOW', await leadingNowhere());
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    const chain = page.locator('[data-id=conversationChain_0]');
    await chain.getByText('brain (gone)').waitFor();
    expect(await page.locator('.react-flow__edge').count()).toBe(2);
    await node(page, /Conversation Chain/).click();
    await panel(page)
      .getByText(/The card has no such input any more/)
      .waitFor();
    await panel(page)
      .getByText(/The other card is no longer on the canvas/)
      .waitFor();
    await axe(page);
    await shot(page, 'strange-gone');
    expect((await drafts.read(id)).edges[0]?.targetHandle).toBe('conversationChain_0-input-brain-BaseBrain');
    await panel(page).getByRole('button', { name: 'Disconnect from ghost_0' }).click();
    await panel(page).getByRole('button', { name: 'Disconnect from Scripted Chat Model' }).click();
    await chain.getByText('brain (gone)').waitFor({ state: 'detached' });
    await expect.poll(async () => (await drafts.read(id)).edges.length).toBe(1);
    await close();
  });

  it('with connections that lead nowhere names them among the problems, where they are removed', async () => {
    const id = await drafts.make('Lost', 'CHATFLOW', await leadingNowhere());
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    // At the line itself, too.
    const lost = /^The connection from Scripted Chat Model leads to “brain”, which the card has no more/;
    await page.locator('.react-flow').getByTitle(lost).first().waitFor();
    await node(page, /Conversation Chain/)
      .getByText('2 warnings')
      .waitFor();
    await page.getByRole('button', { name: /^\d+ problems$/ }).click();
    const list = page.getByRole('dialog', { name: 'Problems' });
    const entry = list.getByRole('listitem').filter({ hasText: lost });
    await entry.getByRole('button', { name: 'Remove connection' }).waitFor();
    await axe(page);
    await shot(page, 'strange-lost');
    await list
      .getByRole('listitem')
      .filter({ hasText: 'A connection comes from ghost_0, which is no longer on the canvas.' })
      .getByRole('button', { name: 'Remove connection' })
      .click();
    await expect.poll(() => focused(page)).toBe('Problems');
    await entry.getByRole('button', { name: 'Remove connection' }).click();
    await entry.waitFor({ state: 'detached' });
    await expect.poll(async () => (await drafts.read(id)).edges.length).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.react-flow').getByTitle(lost).first().waitFor();
    await close();
  });

  it('with texts that look like markup shows them as texts, and runs nothing', async () => {
    const mark = '<img src=x onerror="window.ran=1"><script>window.ran=2</script><b>bold</b>';
    const flowData = await canvas((drawn) => {
      find(drawn, 'conversationChain').data.label = mark;
      find(drawn, 'conversationChain').data.inputs.systemMessagePrompt = mark;
      find(drawn, 'stickyNote').data.inputs.note = `${mark}\n\n[go](javascript:window.ran=3)`;
    });
    const id = await drafts.make(mark, 'CHATFLOW', flowData);
    const { page, close } = await signedIn(`/flows/${id}`, {
      ...wide,
      // The browser tells of a handler that it met and did not run while the note is cleaned.
      allowed: [/Content Security Policy|inline event handler/],
    });
    await page.getByRole('heading', { level: 1, name: mark }).waitFor();
    const card = page.locator('[data-id=conversationChain_0]');
    await card.getByText(mark).first().waitFor();
    await card.locator('[data-node]').click();
    await expect.poll(() => panel(page).getByLabel('Name of the card').inputValue()).toBe(mark);
    await panel(page).locator('summary').first().click();
    await expect
      .poll(() => panel(page).locator('[data-param=systemMessagePrompt] textarea').inputValue())
      .toBe(mark);
    const note = page.locator('[data-id=stickyNote_0]');
    expect(await note.locator('img, script').count()).toBe(0);
    expect(await note.locator('a[href^=javascript]').count()).toBe(0);
    await page.keyboard.press('ControlOrMeta+F');
    await axe(page);
    await shot(page, 'strange-markup');
    await page.goto(`/flows/${id}?view=outline`);
    await page.getByText(mark).first().waitFor();
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined();
    expect(JSON.stringify((await drafts.read(id)).nodes)).toContain('window.ran=1');
    await close();
  });

  it('with 2,000 cards is drawn, moved and kept', async () => {
    const flowData = many(await chatCanvas(service), 2000);
    const id = await drafts.make('Two thousand', 'CHATFLOW', flowData);
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await page.locator('[data-node]').first().waitFor({ timeout: 30_000 });
    await shot(page, 'strange-2000');
    await page.keyboard.press('ControlOrMeta+F');
    await page.locator('.react-flow__pane').click({ position: { x: 700, y: 5 } });
    await page.keyboard.press('ControlOrMeta+F');
    const bar = page.getByRole('dialog', { name: 'Find on the canvas' });
    await bar.getByRole('searchbox').fill('bufferMemory_444');
    await page.keyboard.press('Enter');
    await panel(page).getByText('bufferMemory_444').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-node=bufferMemory_444]').focus();
    const placed = async (): Promise<number | undefined> =>
      (await drafts.read(id)).nodes.find((one) => one.id === 'bufferMemory_444')?.position.y;
    const before = (await placed()) ?? 0;
    await page.keyboard.press('ArrowDown');
    await expect.poll(placed, { timeout: 30_000 }).toBe(before + 20);
    const now = await drafts.read(id);
    expect(now.nodes).toHaveLength(2000);
    // Nothing but that place differs.
    const was = JSON.parse(flowData) as Canvas;
    const rest = (nodes: readonly StoredNode[]): unknown[] =>
      nodes.filter((one) => one.id !== 'bufferMemory_444').map(({ position, data }) => ({ position, data }));
    expect(rest(now.nodes)).toEqual(rest(was.nodes));
    expect(now.edges).toEqual(was.edges);
    await close();
  }, 180_000);
});
