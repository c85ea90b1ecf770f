/** Canvases of every kind are drawn, edited and saved by the same editor. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { emptyDoc, nodeIn, writeDoc, type Definition, type Doc } from '../src/features/canvas/document/doc';
import { addCard, addConnected, endOf, setInput } from '../src/features/canvas/document/edit';
import { dock, draftsOf, node, panel, type Stored } from './editor-support';
import { chatCanvas } from './flow-support';
import { axe, missing, serviceForTests, shot } from './harness';

const templates = process.env.FLOWKEEP_TEMPLATES ?? '';
const legacy = ['Software Team.json', 'Text to SQL.json'];

describe.skipIf(missing)('one editor', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };

  const live = async (id: string): Promise<Stored> =>
    JSON.parse((await service.call<{ flowData: string }>('GET', `/chatflows/${id}`)).flowData) as Stored;
  /** Kinds without drafts are saved to Live, after a question or at once. */
  const toLive = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Save to Live' }).click();
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' });
    await confirm
      .or(page.getByText('Saved to Live', { exact: true }))
      .first()
      .waitFor();
    if (await confirm.count()) await confirm.click();
  };

  it.skipIf(!existsSync(templates))('draws, edits and saves legacy canvases', async () => {
    for (const name of legacy) {
      const flowData = readFileSync(join(templates, 'agentflows', name), 'utf8');
      const before = JSON.parse(flowData) as Stored;
      const id = await drafts.make(name, 'MULTIAGENT', flowData);
      const { page, close } = await signedIn(`/flows/${id}`, wide);
      await page.locator('[data-node]').first().waitFor();
      expect(await page.locator('[data-node]').count()).toBe(before.nodes.length);
      expect(await page.locator('.react-flow__edge').count()).toBe(before.edges.length);
      const first = before.nodes[0];
      if (!first) throw new Error('The canvas is empty.');
      await page.locator(`[data-node="${first.id}"]`).focus();
      await page.keyboard.press('ArrowDown');
      await toLive(page);
      const place = async (): Promise<number> =>
        Math.round((await live(id)).nodes.find((one) => one.id === first.id)?.position.y ?? 0);
      await expect.poll(place).not.toBe(Math.round(first.position.y));
      const after = await live(id);
      expect(after.nodes.map(({ data }) => data.inputs)).toEqual(before.nodes.map(({ data }) => data.inputs));
      expect(after.edges).toHaveLength(before.edges.length);
      await axe(page);
      await shot(page, `kinds-${name.replace('.json', '').replaceAll(' ', '-').toLowerCase()}`);
      await close();
    }
  });

  it('offers the keys of the state to sequential agents', async () => {
    const cards = await service.call<Definition[]>('GET', '/nodes');
    const card = (name: string): Definition => {
      const found = cards.find((one) => one.name === name);
      if (!found) throw new Error(`There is no card ${name}.`);
      return found;
    };
    let doc: Doc = addCard(emptyDoc(), card('seqState'), { x: 0, y: 0 }).doc;
    doc = setInput(doc, 'seqState_0', 'stateMemoryUI', [
      { key: 'verdict', type: 'Replace', defaultValue: '' },
    ]);
    doc = addCard(doc, card('seqAgent'), { x: 400, y: 0 }).doc;
    doc = setInput(doc, 'seqAgent_0', 'updateStateMemoryUI', [{ key: '', value: '' }]);
    const id = await drafts.make('State', 'MULTIAGENT', writeDoc(doc));
    const { page, close } = await signedIn(`/flows/${id}?node=seqAgent_0`, wide);
    await panel(page).locator('summary').first().click();
    const row = panel(page).locator('[data-param=updateStateMemoryUI]').getByRole('group', { name: 'Row 1' });
    await row.locator('[data-param=key]').getByRole('combobox').click();
    await page.getByRole('option', { name: 'verdict' }).click();
    await shot(page, 'kinds-state');
    await toLive(page);
    await expect
      .poll(async () => JSON.stringify((await live(id)).nodes[1]?.data.inputs.updateStateMemoryUI))
      .toContain('verdict');
    await close();
  });

  it('draws a pipeline, which is saved to Live', async () => {
    const cards = await service.call<Definition[]>('GET', '/nodes');
    const card = (name: string): Definition => cards.find((one) => one.name === name) as Definition;
    let doc = addCard(emptyDoc(), card('etlStart'), { x: 0, y: 0 }).doc;
    doc = addCard(doc, card('etlFile'), { x: 800, y: 0 }).doc;
    doc = setInput(doc, 'etlFile_0', 'fileName', 'out.jsonl');
    const file = nodeIn(doc, 'etlFile_0');
    const place = file && endOf(file, 'documents', 'target');
    const text = place && addConnected(doc, place, card('plainText'), { x: 400, y: 0 });
    if (!text) throw new Error('A text fits a file.');
    doc = setInput(text.doc, text.id, 'text', 'Parcels cost five.');
    const { id } = await service.call<{ id: string }>('POST', '/chatflows', {
      name: 'Pipe',
      type: 'ETL',
      flowData: writeDoc(doc),
    });
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Plain Text/).waitFor();
    await dock(page).getByRole('searchbox').fill('filter');
    await dock(page).locator('[data-card=etlFilter]').first().click();
    await panel(page).getByText('etlFilter_0', { exact: true }).waitFor();
    await axe(page);
    await shot(page, 'kinds-pipeline');
    await toLive(page);
    await expect
      .poll(async () => (await service.call<{ flowData: string }>('GET', `/chatflows/${id}`)).flowData)
      .toContain('etlFilter_0');
    await close();
  });

  it('takes the restore of a version back like any other step', async () => {
    const first = await chatCanvas(service);
    const id = await drafts.make('Restored', 'CHATFLOW', first);
    await service.call('POST', `/flow-drafts/${id}/publish`, {});
    const { nodes, edges } = JSON.parse(first) as Stored;
    const second = {
      nodes: nodes.filter((one) => one.data.name !== 'bufferMemory'),
      edges: edges.filter((one) => one.source !== 'bufferMemory_0'),
    };
    await service.call('PUT', `/flow-drafts/${id}`, { flowData: JSON.stringify(second) });
    await service.call('POST', `/flow-drafts/${id}/publish`, {});
    const { page, close } = await signedIn(`/flows/${id}`, wide);
    await node(page, /Conversation Chain/).waitFor();
    expect(await node(page, /Buffer Memory/).count()).toBe(0);
    await page
      .getByRole('link', { name: 'Versions' })
      .or(page.getByRole('tab', { name: 'Versions' }))
      .first()
      .click();
    const listed = await service.call<{ versions: { shortSha: string }[] }>('GET', `/flow-versions/${id}`);
    await page
      .getByText(listed.versions[1]?.shortSha ?? '')
      .first()
      .click();
    await page.getByRole('button', { name: 'Restore to draft' }).click();
    await expect.poll(() => drafts.names(id)).toContain('bufferMemory');
    await page
      .getByRole('link', { name: 'Editor' })
      .or(page.getByRole('tab', { name: 'Editor' }))
      .first()
      .click();
    await node(page, /Buffer Memory/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await node(page, /Buffer Memory/).waitFor({ state: 'detached' });
    await expect.poll(() => drafts.names(id)).not.toContain('bufferMemory');
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => drafts.names(id)).toContain('bufferMemory');
    await close();
  });
});
