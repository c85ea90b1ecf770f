/** What is done to cards that are there: places, copies, notes, finding; and that each of it is taken back. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chooseAll, dock, draftsOf, enterCanvas, node, panel, saved, undone } from './editor-support';
import { agentFlow, chatCanvas } from './flow-support';
import { axe, missing, serviceForTests, shot } from './harness';

describe.skipIf(missing)('a canvas with cards', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };
  const make = async (name: string): Promise<string> =>
    drafts.make(name, 'CHATFLOW', await chatCanvas(service));
  const places = async (id: string): Promise<{ x: number; y: number }[]> =>
    (await drafts.read(id)).nodes.map((one) => one.position);
  const menu = async (page: Page, opener: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: opener, exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('is aligned, spread and tidied', async () => {
    const id = await make('Places');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Scripted/).waitFor();
    await chooseAll(page, 4);
    await page.getByRole('button', { name: 'Align', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Left edges' }).waitFor();
    await axe(page);
    await shot(page, 'arranging-align');
    await page.getByRole('menuitem', { name: 'Left edges' }).click();
    await expect.poll(async () => new Set((await places(id)).map(({ x }) => x)).size).toBe(1);
    await menu(page, 'Align', 'Same space down');
    const gaps = async (): Promise<number> => {
      const boxes = await Promise.all(
        (await page.locator('.react-flow__node').all()).map((one) => one.boundingBox()),
      );
      const sorted = boxes.flatMap((one) => one ?? []).sort((a, b) => a.y - b.y);
      const all = sorted.slice(1).map((one, at) => one.y - (sorted[at]?.y ?? 0) - (sorted[at]?.height ?? 0));
      return Math.max(...all) - Math.min(...all);
    };
    // Places are whole numbers, and the canvas may be drawn smaller than they say.
    await expect.poll(gaps).toBeLessThan(3);
    await page.keyboard.press('Escape');
    await node(page, /Scripted/).focus();
    const before = JSON.stringify(await places(id));
    await page.keyboard.press('Shift+T');
    await expect.poll(async () => JSON.stringify(await places(id))).not.toBe(before);
    await page.getByText('Canvas tidied up').waitFor({ state: 'attached' });
    const boxes = (
      await Promise.all((await page.locator('.react-flow__node').all()).map((one) => one.boundingBox()))
    ).flatMap((one) => one ?? []);
    const over = boxes.flatMap((one, at) =>
      boxes
        .slice(at + 1)
        .filter(
          (other) =>
            one.x < other.x + other.width &&
            other.x < one.x + one.width &&
            one.y < other.y + other.height &&
            other.y < one.y + one.height,
        ),
    );
    expect(over).toEqual([]);
    await shot(page, 'arranging-tidied');
    await close();
  });

  it('is duplicated, cut and pasted by keys', async () => {
    const id = await make('Copies');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Buffer Memory/).focus();
    await page.keyboard.press('ControlOrMeta+D');
    await expect
      .poll(async () => (await drafts.names(id)).filter((one) => one === 'bufferMemory').length)
      .toBe(2);
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(async () => (await drafts.names(id)).length).toBe(4);
    await node(page, /Conversation Chain/).focus();
    await page.keyboard.press('ControlOrMeta+X');
    await expect.poll(() => drafts.names(id)).not.toContain('conversationChain');
    expect((await drafts.read(id)).edges).toEqual([]);
    await page.keyboard.press('ControlOrMeta+V');
    await expect.poll(() => drafts.names(id)).toContain('conversationChain');
    await close();
  });

  it('is searched: names, prompts and notes', async () => {
    const id = await make('Find');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Scripted/).focus();
    await page.keyboard.press('ControlOrMeta+F');
    const bar = page.getByRole('dialog', { name: 'Find on the canvas' });
    await bar.getByRole('searchbox').fill('hello {question');
    await bar.getByText('1 card found').waitFor({ state: 'attached' });
    await axe(page);
    await shot(page, 'arranging-find');
    await page.keyboard.press('Enter');
    await panel(page).getByText('chatScripted_0').waitFor();
    await page.keyboard.press('Escape');
    await node(page, /Scripted/).focus();
    await page.keyboard.press('ControlOrMeta+F');
    await bar.getByRole('searchbox').fill('nowhere to be found');
    await bar.getByText('Nothing found.').waitFor();
    await bar.getByRole('searchbox').fill('without a key');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await panel(page).getByText('stickyNote_0').waitFor();
    await close();
  });

  it('holds notes in Markdown', async () => {
    const id = await make('Notes');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Scripted/).waitFor();
    await enterCanvas(page);
    await dock(page).getByRole('searchbox').fill('sticky note');
    await dock(page).locator('[data-card=stickyNote]').first().click();
    await panel(page).getByText('stickyNote_1').waitFor();
    const text = '# Why\n\n**Bold** and [more](https://example.org)\n\n- one\n- two';
    await panel(page).locator('[data-param=note] textarea').fill(text);
    const note = page.locator('[data-id=stickyNote_1]');
    await note.locator('strong').getByText('Bold').waitFor();
    expect(await note.locator('li').count()).toBe(2);
    expect(await note.locator('a').getAttribute('rel')).toContain('noopener');
    await saved(page);
    expect((await drafts.read(id)).nodes.find((one) => one.id === 'stickyNote_1')?.data.inputs.note).toBe(
      text,
    );
    await axe(page);
    await shot(page, 'arranging-note');
    await close();
  });

  it('is what it was after each step is taken back', async () => {
    const id = await make('Taken back');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Scripted/).waitFor();
    const text = async (): Promise<string> => {
      const { nodes, edges } = await drafts.read(id);
      return JSON.stringify([nodes, edges]);
    };
    const press = (card: RegExp, keys: string) => async (): Promise<void> => {
      await node(page, card).focus();
      await page.keyboard.press(keys);
    };
    const all = (work: () => Promise<void>) => async (): Promise<void> => {
      await chooseAll(page, 4);
      await work();
      await page.keyboard.press('Escape');
    };
    // The first edit makes the draft: from then on it can be compared.
    await press(/Buffer Memory/, 'ArrowDown')();
    await expect.poll(async () => (await drafts.names(id)).length).toBe(4);
    await saved(page);
    const steps: Record<string, () => Promise<void>> = {
      move: press(/Scripted/, 'Shift+ArrowDown'),
      delete: press(/Buffer Memory/, 'Delete'),
      duplicate: press(/Buffer Memory/, 'ControlOrMeta+D'),
      cut: press(/Buffer Memory/, 'ControlOrMeta+X'),
      paste: press(/Scripted/, 'ControlOrMeta+V'),
      tidy: press(/Scripted/, 'Shift+T'),
      align: all(() => menu(page, 'Align', 'Top edges')),
      spread: all(() => menu(page, 'Align', 'Same space across')),
      group: async () => {
        await chooseAll(page, 4);
        await page.keyboard.press('ControlOrMeta+G');
        await panel(page).getByLabel('Name of the card').waitFor();
        await page.keyboard.press('Escape');
      },
      rename: async () => {
        await press(/Conversation Chain/, 'Enter')();
        await panel(page).getByLabel('Name of the card').fill('Answer');
        await page.keyboard.press('Escape');
      },
      setting: async () => {
        await press(/Conversation Chain/, 'Enter')();
        await panel(page).locator('summary').first().click();
        await panel(page).locator('[data-param=systemMessagePrompt] textarea').fill('Be brief.');
        await panel(page).getByLabel('Name of the card').focus();
        await page.keyboard.press('Escape');
      },
      disconnect: async () => {
        await press(/Conversation Chain/, 'Enter')();
        await panel(page)
          .getByRole('button', { name: /^Disconnect from/ })
          .first()
          .click();
        await page.keyboard.press('Escape');
      },
      replace: async () => {
        await press(/Buffer Memory/, 'Enter')();
        await panel(page).getByRole('button', { name: 'More for this card' }).click();
        await page.getByRole('menuitem', { name: 'Replace' }).click();
        const list = page.getByRole('dialog', { name: 'Replace by' });
        await list.getByRole('searchbox').fill('buffer window');
        await list.locator('[data-card=bufferWindowMemory]').first().click();
        await panel(page).getByText('bufferWindowMemory_0').waitFor();
        await page.keyboard.press('Escape');
      },
      add: async () => {
        await dock(page).getByRole('searchbox').fill('calculator');
        await dock(page).locator('[data-card=calculator]').first().click();
        await panel(page).getByText('calculator_0').waitFor();
        await page.keyboard.press('Escape');
      },
    };
    for (const [name, work] of Object.entries(steps)) {
      await undone(page, text, work).catch((fault: unknown) => {
        throw new Error(`${name}: ${String(fault)}`);
      });
    }
    await close();
  }, 180_000);

  it('takes steps out of an iteration, and back', async () => {
    const { id } = await agentFlow(service, 'Box');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    const parent = async (): Promise<unknown> =>
      (
        (await drafts.read(id)).nodes.find((one) => one.id === 'look_0') as
          { parentNode?: string } | undefined
      )?.parentNode;
    expect(await parent()).toBe('each_0');
    await node(page, /Look up/).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Take out of the iteration' }).click();
    await expect.poll(parent).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(parent).toBe('each_0');
    await close();
  });
});
