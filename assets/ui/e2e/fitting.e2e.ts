/** What fits on a canvas and what does not: told by dragging, by clicking, and by keyboard alone. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { emptyDoc, nodeIn, writeDoc, type Definition, type Doc } from '../src/features/canvas/document/doc';
import { addCard, endOf, setInput } from '../src/features/canvas/document/edit';
import { judge } from '../src/features/canvas/document/rules';
import { connect } from '../src/features/canvas/document/wires';
import { draftsOf, node, panel, saved } from './editor-support';
import { axe, focused, missing, serviceForTests, shot } from './harness';

describe.skipIf(missing)('what fits', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };

  /** A canvas of these cards, side by side; ids are in their order. */
  async function canvasOf(...names: string[]): Promise<Doc> {
    const cards = await service.call<Definition[]>('GET', '/nodes');
    return names.reduce((doc, name, at) => {
      const card = cards.find((one) => one.name === name);
      if (!card) throw new Error(`There is no card ${name}.`);
      return addCard(doc, card, { x: 340 * at, y: 120 }).doc;
    }, emptyDoc());
  }

  function wired(doc: Doc, from: string, output: string, to: string, input: string): Doc {
    const [giver, taker] = [nodeIn(doc, from), nodeIn(doc, to)];
    const [one, other] = [giver && endOf(giver, output, 'source'), taker && endOf(taker, input, 'target')];
    const verdict = one && other && judge(doc, one, other);
    if (!verdict?.ok) throw new Error(`${from} does not fit ${to}.`);
    return connect(doc, verdict.wire);
  }

  const handle = (page: Page, id: string, side: 'source' | 'target') =>
    page.locator(`.react-flow__handle.${side}[data-nodeid="${id}"]`).first();

  it('is what another card says, once a text names it', async () => {
    let doc = await canvasOf('chatScripted', 'promptTemplate', 'llmChain', 'promptTemplate', 'llmChain');
    doc = setInput(doc, 'chatScripted_0', 'fallback', '<{question}>');
    doc = setInput(doc, 'promptTemplate_0', 'template', 'Say {question}');
    doc = setInput(doc, 'promptTemplate_1', 'template', 'Again: {first}');
    for (const at of [0, 1]) {
      doc = wired(doc, 'chatScripted_0', 'chatScripted', `llmChain_${at}`, 'model');
      doc = wired(doc, `promptTemplate_${at}`, 'promptTemplate', `llmChain_${at}`, 'prompt');
    }
    const id = await drafts.make('Chained', 'CHATFLOW', writeDoc(doc));
    const { page, close } = await signedIn(`/flows/${id}?node=promptTemplate_1`, wide);
    const field = panel(page).locator('[data-param=promptValues] .cm-content');
    await field.fill('{"first": "{{llm');
    await field.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete').getByText('{{llmChain_0.data.instance}}').waitFor();
    await page.locator('.cm-tooltip-autocomplete').getByText('LLM Chain', { exact: true }).first().waitFor();
    await shot(page, 'fitting-named');
    await field.press('Enter');
    await field.press('End');
    await field.pressSequentially('"}');
    const edges = async (): Promise<string[]> =>
      (await drafts.read(id)).edges
        .filter((edge) => edge.target === 'promptTemplate_1')
        .map((edge) => edge.sourceHandle);
    await expect.poll(edges).toEqual(['llmChain_0-output-outputPrediction-string|json']);
    await saved(page);
    await axe(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Fit to view' }).first().click();
    await shot(page, 'fitting-chained');
    await service.call('POST', `/flow-drafts/${id}/publish`, {});
    const answer = await service.call<{ text: string }>('POST', `/prediction/${id}`, { question: 'hi' });
    expect(answer.text).toBe('<Again: <Say hi>>');
    // A new prompt has the place too: what a chain answers can be led there.
    await handle(page, 'promptTemplate_0', 'target').waitFor();
    await close();
  });

  it('is told with its reason by every way to connect', async () => {
    const doc = await canvasOf(
      'startAgentflow',
      'llmAgentflow',
      'directReplyAgentflow',
      'stickyNoteAgentflow',
    );
    const ends = nodeIn(doc, 'startAgentflow_0');
    const from = ends && endOf(ends, 'startAgentflow', 'source');
    const to = nodeIn(doc, 'llmAgentflow_0');
    const verdict = from && to && judge(doc, from, { node: to.id, handle: to.id, side: 'target' });
    if (!verdict?.ok) throw new Error('These fit.');
    const id = await drafts.make('Refused', 'AGENTFLOW', writeDoc(connect(doc, verdict.wire)));
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Start/).waitFor();
    const hint = page.getByRole('status').filter({ hasText: /\./ });
    const drag = async (start: [string, 'source' | 'target'], onto: string): Promise<void> => {
      const a = await handle(page, ...start).boundingBox();
      const b = await page.locator(`[data-id="${onto}"]`).boundingBox();
      if (!a || !b) throw new Error('nothing is drawn');
      await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
      await page.mouse.down();
      await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 8 });
      await page.mouse.up();
    };
    // By dragging onto a card that has no end for it.
    await drag(['llmAgentflow_0', 'source'], 'startAgentflow_0');
    await hint.getByText('Nothing leads to Start: a run begins there.').waitFor();
    await shot(page, 'fitting-refused');
    await axe(page);
    await drag(['llmAgentflow_0', 'source'], 'stickyNoteAgentflow_0');
    await hint.getByText('A note is not connected to anything.').waitFor();
    await page.keyboard.press('Escape');
    // By a click on an end and one on a card.
    await handle(page, 'llmAgentflow_0', 'target').click();
    await node(page, /Direct Reply/).click();
    await hint.getByText('Nothing follows Direct Reply 0.').waitFor();
    // By keyboard: the list says it of each card that cannot be connected.
    await node(page, /LLM/).focus();
    await page.keyboard.press('c');
    const list = page.getByRole('dialog', { name: 'Connect to' });
    await list.getByText('Does not fit').waitFor();
    await list.getByRole('option', { name: /Start.*connected already/ }).waitFor();
    await axe(page);
    await shot(page, 'fitting-refused-keys');
    await page.keyboard.type('start');
    await page.keyboard.press('Enter');
    await hint.getByText('These two are connected already.').waitFor();
    await expect.poll(() => focused(page)).toContain('LLM');
    await page.keyboard.press('Escape');
    await hint.getByText('These two').waitFor({ state: 'detached' });
    expect((await drafts.read(id)).edges).toHaveLength(1);
    await close();
  });

  it('lies in a connection: dropped there, by its menu, and by keyboard', async () => {
    const doc = await canvasOf('startAgentflow', 'directReplyAgentflow');
    const [start, reply] = [nodeIn(doc, 'startAgentflow_0'), nodeIn(doc, 'directReplyAgentflow_0')];
    const ends = [
      start && endOf(start, 'startAgentflow', 'source'),
      reply && endOf(reply, '', 'target'),
    ] as const;
    const verdict = ends[0] && ends[1] && judge(doc, ends[0], ends[1]);
    if (!verdict?.ok) throw new Error('These fit.');
    const id = await drafts.make('Between', 'AGENTFLOW', writeDoc(connect(doc, verdict.wire)));
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Start/).waitFor();
    const wires = async (): Promise<string[]> =>
      (await drafts.read(id)).edges.map((edge) => `${edge.source} ${edge.target}`);
    const direct = ['startAgentflow_0 directReplyAgentflow_0'];
    const middle = async (): Promise<{ x: number; y: number }> => {
      const edge = await page.locator('.react-flow__edge').first().boundingBox();
      const pane = await page.locator('.react-flow__pane').boundingBox();
      if (!edge || !pane) throw new Error('nothing is drawn');
      return { x: edge.x + edge.width / 2 - pane.x, y: edge.y + edge.height / 2 - pane.y };
    };
    // A card of the list is let go over the line.
    await page
      .locator('[data-card=llmAgentflow]')
      .first()
      .dragTo(page.locator('.react-flow__pane'), { targetPosition: await middle(), force: true });
    await expect
      .poll(wires)
      .toEqual(['startAgentflow_0 llmAgentflow_0', 'llmAgentflow_0 directReplyAgentflow_0']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(wires).toEqual(direct);
    // The line has a menu.
    await page.keyboard.press('Escape');
    await page.locator('.react-flow__pane').click({ button: 'right', position: await middle(), force: true });
    await page.getByRole('menuitem', { name: 'Put a card in between' }).waitFor();
    await axe(page);
    await shot(page, 'fitting-edge-menu');
    await page.getByRole('menuitem', { name: /Remove/ }).click();
    await expect.poll(wires).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(wires).toEqual(direct);
    // The panel of a card offers it without pointing at the line.
    await node(page, /Start/).focus();
    await page.keyboard.press('Enter');
    await panel(page).getByRole('button', { name: 'Put a card between this one and Direct Reply 0' }).focus();
    await page.keyboard.press('Enter');
    const between = page.getByRole('dialog', { name: 'Cards that fit in between' });
    await between.waitFor();
    await shot(page, 'fitting-between-keys');
    await page.keyboard.type('http');
    await page.keyboard.press('Enter');
    await expect
      .poll(wires)
      .toEqual(['startAgentflow_0 httpAgentflow_0', 'httpAgentflow_0 directReplyAgentflow_0']);
    await page.keyboard.press('Escape');
    // One card fills the view.
    await node(page, /HTTP/).focus();
    await page.keyboard.press('2');
    await expect
      .poll(async () => (await page.locator('[data-id=httpAgentflow_0]').boundingBox())?.width ?? 0)
      .toBeGreaterThan(150);
    await shot(page, 'fitting-zoomed');
    await close();
  });

  it('is taken from a file that is dropped on the canvas', async () => {
    const exported = writeDoc(await canvasOf('chatScripted', 'bufferMemory'));
    const id = await drafts.make('Dropped', 'CHATFLOW');
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await page.getByText('The canvas is empty').waitFor();
    const drop = (text: string): Promise<void> =>
      page.evaluate((content) => {
        const data = new DataTransfer();
        data.items.add(new File([content], 'flow.json', { type: 'application/json' }));
        const pane = document.querySelector('.react-flow__pane');
        const at = { bubbles: true, cancelable: true, clientX: 700, clientY: 400, dataTransfer: data };
        pane?.dispatchEvent(new DragEvent('dragover', at));
        pane?.dispatchEvent(new DragEvent('drop', at));
      }, text);
    await drop('no cards');
    await page.getByText('There are no cards in that.').first().waitFor();
    await drop(exported);
    await expect.poll(() => drafts.names(id)).toEqual(['chatScripted', 'bufferMemory']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => drafts.names(id)).toEqual([]);
    await close();
  });
});
