/** Putting cards on the canvas and connecting them, by every way there is. */
import { describe, expect, it } from 'vitest';
import { chooseAll, dock, draftsOf, enterCanvas, node, panel, saved } from './editor-support';
import { chatCanvas } from './flow-support';
import { axe, focused, missing, serviceForTests, shot } from './harness';

describe.skipIf(missing)('cards', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };

  it('are added by a slash and a few letters, the last ones and the favourites first', async () => {
    const id = await drafts.make('Slash', 'CHATFLOW');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await page.getByText('The canvas is empty').waitFor();
    await enterCanvas(page);
    await page.keyboard.press('/');
    const list = page.getByRole('dialog', { name: 'Add a card' });
    await list.getByRole('searchbox').fill('conversation chain');
    await axe(page);
    await shot(page, 'drawing-slash');
    await page.keyboard.press('Enter');
    await panel(page).getByText('conversationChain_0').waitFor();
    await page.keyboard.press('Escape');
    // What was used last stands before the categories, and its arrow keys reach it.
    await node(page, /Conversation Chain/).focus();
    await page.keyboard.press('/');
    await list.locator('details').filter({ hasText: 'Used last' }).getByText('Conversation Chain').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toContain('Conversation Chain');
    // A star makes a favourite, for later visits too.
    await dock(page).getByRole('searchbox').fill('buffer memory');
    const star = dock(page).getByRole('button', { name: 'Buffer Memory is a favourite' }).first();
    await star.click();
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
    // What was not saved yet is asked about after a reload, and no card can be added before the answer.
    await expect.poll(() => drafts.names(id)).toEqual(['conversationChain']);
    await page.reload();
    const best = dock(page).locator('details').filter({ hasText: 'Favourites' });
    await best.locator('[data-card=bufferMemory]').waitFor();
    await shot(page, 'drawing-favourites');
    await best.locator('[data-card=bufferMemory]').click();
    await expect.poll(() => drafts.names(id)).toEqual(['conversationChain', 'bufferMemory']);
    await close();
  });

  it('are dragged from the list to where they are wanted', async () => {
    const id = await drafts.make('Dragged', 'CHATFLOW', await chatCanvas(service));
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Scripted/).waitFor();
    await dock(page).getByRole('searchbox').fill('calculator');
    const at = { x: 500, y: 640 };
    const view = await page
      .locator('.react-flow__viewport')
      .evaluate((one) => new DOMMatrix(getComputedStyle(one).transform));
    await dock(page)
      .locator('[data-card=calculator]')
      .first()
      .dragTo(page.locator('.react-flow__pane'), { targetPosition: at });
    await expect.poll(() => drafts.names(id)).toContain('calculator');
    const place = await drafts.place(id, 'calculator');
    const wanted = { x: (at.x - view.e) / view.a, y: (at.y - view.f) / view.d };
    if (!place) throw new Error('no card');
    // The card lies under the pointer.
    expect(wanted.x - place.x).toBeGreaterThan(0);
    expect(wanted.x - place.x).toBeLessThan(220);
    expect(wanted.y - place.y).toBeGreaterThan(0);
    expect(wanted.y - place.y).toBeLessThan(60);
    await node(page, /Calculator/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => drafts.names(id)).not.toContain('calculator');
    await close();
  });

  it('are connected, put in between and disconnected', async () => {
    const id = await drafts.make('Connected', 'AGENTFLOW');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await dock(page).locator('[data-card=startAgentflow]').click();
    await node(page, /Start/).waitFor();
    await dock(page).locator('[data-card=directReplyAgentflow]').click();
    await node(page, /Direct Reply 0/).waitFor();
    await page.keyboard.press('Escape');
    // By keyboard alone: C on a card, then the name of the other.
    await node(page, /Start/).focus();
    await page.keyboard.press('c');
    const list = page.getByRole('dialog', { name: 'Connect to' });
    await list.waitFor();
    await axe(page);
    await shot(page, 'drawing-connect-to');
    await page.keyboard.type('direct');
    await page.keyboard.press('Enter');
    await page.getByText('Start connected to Direct Reply 0').waitFor({ state: 'attached' });
    const wires = async (): Promise<string[]> =>
      (await drafts.read(id)).edges.map((edge) => `${edge.source} ${edge.target}`);
    const direct = ['startAgentflow_0 directReplyAgentflow_0'];
    await expect.poll(wires).toEqual(direct);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(wires).toEqual([]);
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(wires).toEqual(direct);

    // A card is put onto the connection.
    const [from, to] = [
      await page.locator('[data-id=startAgentflow_0]').boundingBox(),
      await page.locator('[data-id=directReplyAgentflow_0]').boundingBox(),
    ];
    if (!from || !to) throw new Error('nothing is drawn');
    const middle = { x: (from.x + from.width + to.x) / 2, y: from.y + from.height / 2 };
    await page.mouse.move(middle.x, middle.y - 60);
    await page.mouse.move(middle.x, middle.y, { steps: 5 });
    await page.getByTitle('Put a card in between').click();
    const between = page.getByRole('dialog', { name: 'Cards that fit in between' });
    await between.getByRole('searchbox').fill('http');
    await shot(page, 'drawing-between');
    await between.locator('[data-card=httpAgentflow]').first().click();
    await expect
      .poll(wires)
      .toEqual(['startAgentflow_0 httpAgentflow_0', 'httpAgentflow_0 directReplyAgentflow_0']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(wires).toEqual(direct);
    expect(await drafts.names(id)).not.toContain('httpAgentflow');
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(async () => (await wires()).length).toBe(2);

    // The panel of a card leads along its connections, and takes them away.
    await node(page, /HTTP 0/).focus();
    await page.keyboard.press('Enter');
    await panel(page).getByRole('button', { name: 'Disconnect from Start' }).click();
    await expect.poll(wires).toEqual(['httpAgentflow_0 directReplyAgentflow_0']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await wires()).length).toBe(2);
    await close();
  });

  it('hold what they are told while they are drawn: problems come and go with them', async () => {
    const id = await drafts.make('Judged', 'CHATFLOW', await chatCanvas(service));
    const { page, close } = await signedIn(`/flows/${id}`, { ...wide, allowed: [/503/] });
    await node(page, /Scripted/).waitFor();
    // Nothing of it is saved: the service judges what is drawn.
    await page.route(/flow-drafts\/[^/]+$/, (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 503, json: { message: 'Not now.' }, headers: { 'retry-after': '600' } })
        : route.continue(),
    );
    await node(page, /Scripted/).focus();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: /^\d problem/ }).click();
    const list = page.getByRole('dialog', { name: 'Problems' });
    await list.getByRole('heading', { name: 'Keeps the flow from answering' }).waitFor();
    await list.getByText(/needs a connection/).waitFor();
    await axe(page);
    await shot(page, 'drawing-problems');
    await list.getByRole('button', { name: /Go to Conversation Chain/ }).click();
    await panel(page)
      .getByText(/needs a connection/)
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: /^\d problem/ }).waitFor({ state: 'detached' });
    expect(await service.call<unknown[]>('GET', `/validation/${id}`)).toEqual([]);
    await close();
  });

  it('are copied from one flow into another, in another tab', async () => {
    const [from, to] = [
      await drafts.make('Source', 'CHATFLOW', await chatCanvas(service)),
      await drafts.make('Target', 'CHATFLOW'),
    ];
    const { page, close } = await signedIn(`/flows/${from}`, wide);
    await node(page, /Scripted/).waitFor();
    await chooseAll(page, 4);
    await page.keyboard.press('ControlOrMeta+C');
    const other = await page.context().newPage();
    await other.goto(`/flows/${to}`);
    await other.getByText('The canvas is empty').waitFor();
    await enterCanvas(other);
    await other.keyboard.press('ControlOrMeta+V');
    await node(other, /Conversation Chain/).waitFor();
    await expect.poll(async () => (await drafts.read(to)).edges.length).toBe(2);
    expect((await drafts.names(to)).sort()).toEqual((await drafts.names(from)).sort());
    await saved(other);
    await shot(other, 'drawing-pasted');
    await close();
  });
});
