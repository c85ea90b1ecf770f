/** Drawing an agentflow: what its cards offer of one another, ways out of them, ways back, and all of it without motion. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { says, START, Steps } from './agentflows';
import { draftsOf, node, panel, saved } from './editor-support';
import { axe, missing, serviceForTests, shot } from './harness';

describe.skipIf(missing)('the cards of an agentflow', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };
  const writer = 'llmAgentflow_0';
  const again = 'loopAgentflow_0';
  const apology = 'directReplyAgentflow_0';

  /** A writer, a way back to it, and a reply that nothing leads to yet. */
  const drawn = (): Steps =>
    new Steps({
      startInputType: 'chatInput',
      startState: [
        { key: 'town', value: 'Bern' },
        { key: 'parcels', value: '' },
      ],
    })
      .card(writer, 'Writer', says('Hello'), [280, 0])
      .card(again, 'Again', { maxLoopCount: 2 }, [560, 0])
      .card(apology, 'Apology', { directReplyMessage: 'Sorry.' }, [560, 200])
      .edge(START, writer)
      .edge(writer, again);
  const choose = async (page: Page, name: RegExp): Promise<void> => {
    await node(page, name).focus();
    await page.keyboard.press('Enter');
    await panel(page).getByLabel('Name of the card').waitFor();
    const folded = panel(page).locator('details:not([open]) > summary');
    while ((await folded.count()) > 0) await folded.first().click();
  };
  const inputs = async (id: string, of: string): Promise<Record<string, unknown>> =>
    (await drafts.read(id)).nodes.find((one) => one.id === of)?.data.inputs ?? {};

  it('offer the keys of the state where they are set, and where they are named in a text', async () => {
    const id = await drafts.make('State', 'AGENTFLOW', drawn().text());
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await choose(page, /Writer/);
    await panel(page).getByRole('button', { name: 'Add to Update Flow State' }).click();
    const row = panel(page).locator('[data-param=llmUpdateState]').getByRole('group', { name: 'Row 1' });
    await row.locator('[data-param=key]').getByRole('combobox').click();
    await expect
      .poll(() => page.getByRole('option').allInnerTexts())
      .toEqual([expect.stringMatching(/^town/), expect.stringMatching(/^parcels/)]);
    await axe(page);
    await shot(page, 'steps-state');
    await page.getByRole('option', { name: 'parcels' }).click();
    await expect
      .poll(async () => (await inputs(id, writer)).llmUpdateState)
      .toMatchObject([{ key: 'parcels' }]);
    const value = row.locator('[data-param=value]').locator('textarea, input').first();
    await value.fill('{{ $flow.state.');
    await page.getByRole('option', { name: /\$flow\.state\.town/ }).waitFor();
    await shot(page, 'steps-state-named');
    await close();
  });

  it('have a way out for errors once they branch, which is drawn, named and taken', async () => {
    const id = await drafts.make('Errors', 'AGENTFLOW', drawn().text());
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    const way = page.locator(`.react-flow__handle[data-handleid="${writer}-output-error"]`);
    await choose(page, /Writer/);
    expect(await way.count()).toBe(0);
    await panel(page).locator('[data-param=onError]').getByRole('combobox').click();
    await page.getByRole('option', { name: 'Take the error output' }).click();
    await page.keyboard.press('Escape');
    await way.waitFor();
    await node(page, /Writer/)
      .locator('xpath=..')
      .getByText('On error')
      .waitFor();
    await way.click();
    await page.locator(`.react-flow__handle[data-nodeid="${apology}"].target`).click();
    const wires = async (): Promise<string[]> =>
      (await drafts.read(id)).edges.map((edge) => `${edge.sourceHandle} ${edge.target}`);
    await expect.poll(wires).toContain(`${writer}-output-error ${apology}`);
    // The way that it had stays one.
    expect(await page.getByText('(gone)').count()).toBe(0);
    await axe(page);
    await shot(page, 'steps-error');
    // Without the branch the way out is gone, and so is what left by it.
    await choose(page, /Writer/);
    await panel(page).locator('[data-param=onError]').getByRole('combobox').click();
    await page.getByRole('option', { name: 'Stop the run' }).click();
    await way.waitFor({ state: 'detached' });
    await expect.poll(wires).not.toContain(`${writer}-output-error ${apology}`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(wires).toContain(`${writer}-output-error ${apology}`);
    await close();
  });

  it('go back along a line once a loop has its target', async () => {
    const id = await drafts.make('Loops', 'AGENTFLOW', drawn().text());
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    const loop = page.locator(`.react-flow__edge[data-id="loop ${again}"]`);
    await choose(page, /Again/);
    expect(await loop.count()).toBe(0);
    await panel(page).locator('[data-param=loopBackToNode]').getByRole('combobox').click();
    // What leads to the loop, and nothing else.
    await page.getByRole('option', { name: /Writer/ }).waitFor();
    expect(await page.getByRole('option', { name: /Apology/ }).count()).toBe(0);
    await page.getByRole('option', { name: /Writer/ }).click();
    await loop.waitFor({ state: 'attached' });
    await saved(page);
    await axe(page);
    await shot(page, 'steps-loop');
    // The line is of the card that it leaves: it is no connection of its own.
    expect((await drafts.read(id)).edges).toHaveLength(2);
    expect((await inputs(id, again)).loopBackToNode).toContain(writer);
    await page.getByRole('button', { name: 'Undo' }).click();
    await loop.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Redo' }).click();
    await loop.waitFor({ state: 'attached' });
    await close();
  });

  it('stand still for people who want no motion, also while they run', async () => {
    const steps = new Steps()
      .card(writer, 'Writer', says('word '.repeat(30).trim(), 100), [280, 0])
      .edge(START, writer);
    const id = await steps.flow(service, 'Still');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Write');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Writer: Running. Show what it did' }).waitFor();
    /** What moves by itself, or would when it changes. */
    const moves = (): Promise<string[]> =>
      page.evaluate(() =>
        [...document.querySelectorAll('*')].flatMap((one) => {
          const { animationName, animationDuration, animationIterationCount, transitionProperty } =
            getComputedStyle(one);
          const turns =
            animationName !== 'none' && animationIterationCount !== '1' && animationDuration !== '0.001s';
          return turns || !/^(none|all)$/.test(transitionProperty) ? [one.outerHTML.slice(0, 80)] : [];
        }),
      );
    expect(await moves()).toEqual([]);
    // The same page moves for others, so that this is about the wish and not about the page.
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect((await moves()).length).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    // What brings cards into view is there at once.
    await page.getByRole('button', { name: 'Zoom in' }).first().click();
    const view = page.locator('.react-flow__viewport');
    const place = (): Promise<string> => view.evaluate((one) => getComputedStyle(one).transform);
    const before = await place();
    await page.getByRole('button', { name: 'Fit to view' }).first().click();
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    const after = await place();
    expect(after).not.toBe(before);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect(await place()).toBe(after);
    await shot(page, 'steps-still');
    await close();
  });
});
