/** A document on its way from a file to an answer, in the browser alone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { emptyDoc, writeDoc, type Definition } from '../src/features/canvas/document/doc';
import { addCard } from '../src/features/canvas/document/edit';
import {
  axe,
  closeBrowser,
  focused,
  LOOKS,
  missing,
  openSignedIn,
  overflows,
  serviceForTests,
  shot,
  startService,
  type Service,
} from './harness';

const PRICES = Array.from(
  { length: 30 },
  (_, at) => `Parcel ${at + 1} costs ${at + 10} euros and arrives within ${at + 1} days.`,
).join('\n\n');

/** A store with one text in it, processed, and filled where `filled`. */
async function makeStore(service: Service, name: string, text: string, filled: boolean): Promise<string> {
  const { id } = await service.call<{ id: string }>('POST', '/document-store/store', {
    name,
    description: 'What parcels cost.',
  });
  const loader = await service.call<{ id: string }>('POST', '/document-store/loader/save', {
    storeId: id,
    loaderId: 'plainText',
    loaderName: 'prices.txt',
    loaderConfig: { text },
    splitterId: 'recursiveCharacterTextSplitter',
    splitterConfig: { chunkSize: 200, chunkOverlap: 40 },
  });
  await service.call('POST', `/document-store/loader/process/${loader.id}`, { storeId: id });
  if (filled) await fillStore(service, id);
  return id;
}

/** Makes vectors of what a store holds. */
const fillStore = (service: Service, storeId: string): Promise<unknown> =>
  service.call('POST', '/document-store/vectorstore/insert', {
    storeId,
    embeddingName: 'hashingEmbeddings',
    embeddingConfig: {},
  });

interface Stored {
  id: string;
  name: string;
  status: string;
  totalChunks: number;
  loaders: { id: string; loaderName: string; status: string }[];
}

describe.skipIf(missing)('knowledge', () => {
  const { service, signedIn } = serviceForTests();

  const stores = (): Promise<Stored[]> => service.call('GET', '/document-store/store');
  const stored = async (name: string): Promise<Stored> => {
    const found = (await stores()).find((one) => one.name === name);
    if (!found) throw new Error(`There is no store ${name}.`);
    return found;
  };
  const make = (name: string): Promise<string> => makeStore(service, name, PRICES, true);
  const noOverflow = async (page: Page, what: string): Promise<void> => {
    const wide = await overflows(page);
    expect(wide, what).toBe(false);
  };

  it('begins empty, and a store is made by keyboard', async () => {
    const { page, close } = await signedIn('/knowledge');
    await page.getByText('No document stores yet').waitFor();
    await axe(page);
    await shot(page, 'knowledge-empty');
    await page.getByRole('button', { name: 'New store' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('This is needed.').waitFor();
    await page.keyboard.type('Help');
    await axe(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor();
    await page.getByText('No documents yet').waitFor();
    await axe(page);
    await shot(page, 'knowledge-new-store');
    await close();
  });

  it('takes files that are dropped, draws how they are cut, processes them, and is filled and asked', async () => {
    const { id } = await stored('Help');
    const { page, close } = await signedIn(`/knowledge/${id}`, { width: 1440, height: 900 });
    await page.getByText('No documents yet').waitFor();
    await page
      .getByRole('tabpanel')
      .locator('> div')
      .evaluate((at, text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], 'prices.txt', { type: 'text/plain' }));
        for (const kind of ['dragover', 'drop'])
          at.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
      }, PRICES);
    const form = page.getByRole('dialog', { name: 'Add documents' });
    await form.getByText('prices.txt').waitFor();
    await form.getByLabel('Chunk Size').fill('200');
    await form.getByLabel('Chunk Overlap').fill('60');
    await form.getByRole('button', { name: 'Show how it is cut' }).click();
    await form.getByText(/It makes \d+ passages/).waitFor();
    const before = await form.getByText(/It makes \d+ passages/).textContent();
    const text = form.getByRole('group', { name: 'How it is cut' });
    await text.getByText('Passage 2 begins').waitFor({ state: 'attached' });
    await axe(page);
    await shot(page, 'knowledge-cut');
    // The bounds follow what is set.
    await form.getByLabel('Chunk Size').fill('400');
    await expect.poll(() => form.getByText(/It makes \d+ passages/).textContent()).not.toBe(before);
    await form.getByRole('button', { name: 'Add and process' }).click();
    await page.getByText('“prices.txt” was processed').first().waitFor();
    const row = page.getByRole('list', { name: 'Documents' }).getByRole('listitem');
    await row.getByText('Processed', { exact: true }).waitFor();
    await axe(page);
    await shot(page, 'knowledge-documents');
    await page.getByRole('tab', { name: /Search/ }).click();
    await page.getByText('Hashing Embeddings').first().waitFor();
    await axe(page);
    await shot(page, 'knowledge-search');
    await page.getByRole('button', { name: 'Fill now' }).click();
    await page
      .getByText(/Filled: \d+ added/)
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Ask' }).click();
    await page.getByLabel('What to look for').fill('What does parcel 7 cost?');
    await page.keyboard.press('Enter');
    await page.getByText(/nearest first/).waitFor();
    await page
      .getByText(/^Likeness 0\.\d{3}$/)
      .first()
      .waitFor();
    await axe(page);
    await shot(page, 'knowledge-ask');
    await page.getByRole('button', { name: 'Open in its document' }).first().click();
    await page.locator('li[data-here]').waitFor();
    expect(page.url()).toContain('passage=');
    await axe(page);
    await shot(page, 'knowledge-passage');
    // What was found is there again, without another question.
    await page.getByRole('tab', { name: 'Ask' }).click();
    await page.getByText(/nearest first/).waitFor();
    await close();
  });

  it('finds a passage by its words, and shows it among the others', async () => {
    const long = Array.from(
      { length: 130 },
      (_, at) => `Parcel ${at + 1} ${'costs much and comes late. '.repeat(6)}`,
    );
    const id = await makeStore(service, 'Long', long.join('\n\n'), false);
    const { page, close } = await signedIn(`/knowledge/${id}?tab=passages`);
    const passages = page.getByRole('list', { name: 'Passages' }).getByRole('listitem');
    await expect.poll(() => passages.count()).toBe(50);
    const search = page.getByRole('searchbox', { name: 'Find in passages' });
    await search.fill('PARCEL 117 costs');
    await expect.poll(() => passages.count()).toBe(1);
    await axe(page);
    await shot(page, 'knowledge-find');
    await page.getByRole('button', { name: 'Show passage 117 among the others' }).click();
    const here = page.locator('li[data-here]');
    await here.waitFor();
    expect(await here.textContent()).toContain('Parcel 117 ');
    expect(new URL(page.url()).searchParams.get('page')).toBe('3');
    await page.goBack();
    await expect.poll(() => passages.count()).toBe(1);
    await search.fill('parcels of gold');
    await page.getByText('No passage says that').waitFor();
    await close();
  });

  it('has passages that are edited and deleted, and documents that are replaced and removed', async () => {
    const id = await make('Edited');
    const { page, close } = await signedIn(`/knowledge/${id}?tab=passages`);
    await page.getByRole('button', { name: 'Edit passage 1', exact: true }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Metadata').fill('no object');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/Write a JSON object/).waitFor();
    await form.getByLabel('Metadata').fill('{"source": "by hand"}');
    await form.getByLabel('Text').fill('Parcel 1 is free.');
    await axe(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Parcel 1 is free.').first().waitFor();
    await page.getByText('by hand').waitFor();
    const { totalChunks } = await stored('Edited');
    await page.getByRole('button', { name: 'Remove Passage 2', exact: true }).click();
    await axe(page);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(async () => (await stored('Edited')).totalChunks).toBe(totalChunks - 1);
    // Other text takes the place of a document.
    await page.getByRole('tab', { name: /Documents/ }).click();
    await page.getByRole('button', { name: 'Actions for prices.txt' }).click();
    await page.getByRole('menuitem', { name: 'Settings and replace' }).click();
    const settings = page.getByRole('dialog', { name: 'Settings of prices.txt' });
    await settings.locator('[data-param=text]').getByRole('textbox').fill('All parcels are free now.');
    await axe(page);
    await settings.getByRole('button', { name: 'Save and process' }).click();
    await page.getByText('“prices.txt” was processed').first().waitFor();
    await expect.poll(async () => (await stored('Edited')).totalChunks).toBe(1);
    await page.getByRole('button', { name: 'Actions for prices.txt' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No documents yet').waitFor();
    await close();
  });

  it('says at its document why it failed, and what is missing before it can be asked', async () => {
    const { page, close } = await signedIn('/knowledge', {
      allowed: [/loader\/(save|preview|process).*(4|5)\d\d/, /store\/0{8}.*404/],
    });
    const { id } = await service.call<{ id: string }>('POST', '/document-store/store', { name: 'Faulty' });
    await page.goto(`/knowledge/${id}?tab=ask`);
    await page.getByText('This store cannot be asked yet').waitFor();
    await axe(page);
    await page.goto(`/knowledge/${id}`);
    await page.getByRole('button', { name: 'Add documents' }).click();
    const form = page.getByRole('dialog', { name: 'Add documents' });
    await form.getByRole('button', { name: 'Add and process' }).click();
    await form.getByText('Choose at least one file.').first().waitFor();
    await form.getByRole('radio', { name: 'Folder' }).check();
    await form.getByLabel('Folder Path').fill('/nowhere/at/all');
    await axe(page);
    await shot(page, 'knowledge-kinds');
    await form.getByRole('button', { name: 'Add and process' }).click();
    await page.getByText(/It failed: /).waitFor();
    await axe(page);
    await shot(page, 'knowledge-failed');
    await page.goto('/knowledge/00000000-0000-4000-8000-000000000000');
    await page.getByText('There is no such document store').waitFor();
    await close();
  });

  it('says that it has to be filled again once its embeddings are others, and leads there', async () => {
    const id = await make('Changed');
    const { page, close } = await signedIn(`/knowledge/${id}?tab=ask`, {
      allowed: [/vectorstore\/query.*(4|5)\d\d/],
    });
    await page.getByRole('tabpanel').getByLabel('What to look for').waitFor();
    expect(await page.getByText(/^Not all of it is found yet/).count()).toBe(0);
    await service.call('POST', '/document-store/vectorstore/save', {
      storeId: id,
      embeddingName: 'hashingEmbeddings',
      embeddingConfig: { dimensions: 64 },
    });
    await page.reload();
    await page.getByText(/^Not all of it is found yet: it was not filled since its embeddings/).waitFor();
    await page.getByLabel('What to look for').fill('What does parcel 7 cost?');
    await page.keyboard.press('Enter');
    await page.getByText(/filled with other embeddings/).waitFor();
    await axe(page);
    await shot(page, 'knowledge-other-embeddings');
    await page.getByRole('button', { name: 'To the settings of search' }).click();
    await page.getByRole('button', { name: 'Fill now' }).click();
    await page
      .getByText(/Filled: \d+ added/)
      .first()
      .waitFor();
    await expect.poll(() => page.getByText(/^Not all of it is found yet/).count()).toBe(0);
    await page.getByRole('tab', { name: 'Ask' }).click();
    await page.getByText(/nearest first/).waitFor();
    await close();
  });

  it('says that it has to be filled again once its passages are others, and when it was filled last', async () => {
    const id = await make('Rewritten');
    const { page, close } = await signedIn(`/knowledge/${id}?tab=passages`);
    await page.getByRole('button', { name: 'Edit passage 1', exact: true }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Text').fill('Parcel 1 is free.');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/passages were changed since it was filled last, .*20\d\d/).waitFor();
    await axe(page);
    await close();
  });

  it('is used in a flow, says so, and warns before it is deleted', async () => {
    const id = await make('Parcels');
    const { page, close } = await signedIn(`/knowledge/${id}`, { width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Use in a flow' }).click();
    await page.getByRole('option', { name: 'Answers from Parcels' }).click();
    await page.locator('[data-node]').filter({ hasText: 'Document Store (Vector)' }).waitFor();
    await page.locator('[data-node]').filter({ hasText: 'Conversational Retrieval QA Chain' }).waitFor();
    await shot(page, 'knowledge-flow');
    const flow = /flows\/([0-9a-f-]+)/.exec(page.url())?.[1] ?? '';
    await service.call('POST', `/flow-drafts/${flow}/publish`, {});
    await page.goto(`/knowledge/${id}`);
    await page.getByRole('link', { name: 'Answers from Parcels' }).waitFor();
    await page.goto('/knowledge');
    await page.getByRole('button', { name: /^1 flow\s*, flows that use Parcels$/ }).click();
    await page.getByText('Answers from Parcels').waitFor();
    await axe(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for Parcels' }).click();
    await page.getByRole('menuitem', { name: 'Delete store' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Answers from Parcels').waitFor();
    await axe(page);
    await expect.poll(() => focused(page)).toBe('Cancel');
    await dialog.getByRole('button', { name: 'Delete store' }).click();
    await expect.poll(async () => (await stores()).some((one) => one.id === id)).toBe(false);
    await close();
  });

  it('is put to use in the draft of a flow by two clicks', async () => {
    const id = await make('Invoices');
    const cards = await service.call<Definition[]>('GET', '/nodes');
    const canvas = (...names: string[]): string =>
      writeDoc(
        names.reduce((doc, name, at) => {
          const card = cards.find((one) => one.name === name);
          if (!card) throw new Error(`There is no card ${name}.`);
          return addCard(doc, card, { x: 380 * at, y: 120 }).doc;
        }, emptyDoc()),
      );
    const flow = async (name: string, type: string, flowData: string): Promise<string> =>
      (await service.call<{ id: string }>('POST', '/chatflows', { name, type, flowData })).id;
    const agent = await flow('Clerk', 'CHATFLOW', canvas('toolAgent'));
    const steps = await flow('Desk', 'AGENTFLOW', canvas('startAgentflow', 'agentAgentflow'));
    const plain = await flow('Chatter', 'CHATFLOW', canvas('conversationChain'));
    const { page, close } = await signedIn(`/knowledge/${id}`, { width: 1440, height: 900 });
    const draft = async (of: string): Promise<string> => {
      const { draft: now } = await service.call<{ draft: { flowData: string } | null }>(
        'GET',
        `/flow-drafts/${of}`,
      );
      return now?.flowData ?? '';
    };
    const use = async (name: string): Promise<void> => {
      await page.goto(`/knowledge/${id}`);
      await page.getByRole('button', { name: 'Use in a flow' }).click();
      await page.getByRole('option', { name }).click();
    };
    await page.getByRole('button', { name: 'Use in a flow' }).click();
    await page.getByRole('option', { name: 'Clerk' }).waitFor();
    await axe(page);
    await shot(page, 'knowledge-use');
    await page.keyboard.press('Escape');
    await use('Clerk');
    const panel = page.getByRole('complementary', { name: 'Node' });
    await panel.getByText('documentStoreVS_0', { exact: true }).waitFor();
    await panel.getByText('Invoices').waitFor();
    await shot(page, 'knowledge-used');
    const found = JSON.parse(await draft(agent)) as { edges: { source: string; target: string }[] };
    expect(found.edges.map(({ source, target }) => `${source} ${target}`)).toEqual([
      'retrieverTool_0 toolAgent_0',
      'documentStoreVS_0 retrieverTool_0',
    ]);
    await use('Desk');
    await panel.getByText('agentAgentflow_0', { exact: true }).waitFor();
    expect(await draft(steps)).toContain(`"documentStore":"${id}"`);
    await use('Chatter');
    await page
      .getByText(/nothing takes what it finds/)
      .first()
      .waitFor();
    expect(await draft(plain)).toContain(`"selectedStore":"${id}"`);
    await close();
  });

  it('is readable at every width in both themes', async () => {
    const id = await make('Wide');
    for (const look of LOOKS) {
      const { page, close } = await signedIn('/knowledge', look);
      await page.getByRole('link', { name: 'Wide' }).waitFor();
      await noOverflow(page, `list at ${look.width}`);
      await shot(page, `knowledge-list-${look.width}-${look.scheme}`);
      for (const tab of ['documents', 'passages', 'search', 'ask']) {
        await page.goto(`/knowledge/${id}?tab=${tab}`);
        await page.getByRole('tab', { selected: true }).waitFor();
        await page.getByRole('tabpanel').filter({ hasText: /\w/ }).waitFor();
        if (look.scheme === 'light') await axe(page);
        await noOverflow(page, `${tab} at ${look.width}`);
        await shot(page, `knowledge-${tab}-${look.width}-${look.scheme}`);
      }
      await close();
    }
  }, 180_000);
});

describe.skipIf(missing)('a store that takes long to fill', () => {
  let service: Service;
  let slow: Server;
  beforeAll(async () => {
    // An address that never answers: what reads it runs until it is stopped.
    slow = createServer(() => undefined);
    await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
    const address = `127.0.0.1:${(slow.address() as AddressInfo).port}`;
    service = await startService({ SERVICE_HTTP_ALLOW: address });
  });
  afterAll(async () => {
    await closeBrowser();
    await service.stop();
    slow.closeAllConnections();
    slow.close();
  });

  it('says how far it is, and stops when it is told to', async () => {
    const { id } = await service.call<{ id: string }>('POST', '/document-store/store', { name: 'Slow' });
    await service.call('POST', '/document-store/loader/save', {
      storeId: id,
      loaderId: 'apiLoader',
      loaderName: 'Slow address',
      loaderConfig: { method: 'GET', url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/` },
    });
    const { page, close } = await openSignedIn(service, `/knowledge/${id}`);
    await page.getByRole('button', { name: 'Process Slow address' }).click();
    await page.getByRole('status').filter({ hasText: 'Reading…' }).waitFor();
    await page.getByText('It ends when you leave this page.').waitFor();
    await axe(page);
    await shot(page, 'knowledge-progress');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. What was there before is as it was.').first().waitFor();
    await page.getByRole('button', { name: 'Process Slow address' }).waitFor();
    await close();
  });
});

describe.skipIf(missing)('all stores at once', () => {
  const { service, signedIn } = serviceForTests();

  it('are asked from their list, and each answers under its own name', async () => {
    const prices = await makeStore(service, 'Prices', 'A parcel to Bern costs nine euros.', false);
    const { page, close } = await signedIn('/knowledge?tab=ask');
    await page.getByText('No store can be asked yet').waitFor();
    await axe(page);
    await fillStore(service, prices);
    await makeStore(service, 'Returns', 'A parcel that comes back costs nothing.', true);
    await makeStore(service, 'Notes', 'Not to be searched.', false);
    await page.goto('/knowledge');
    await page.getByRole('tab', { name: 'Ask all stores' }).click();
    await page.getByText('2 stores are searched at once').waitFor();
    await page.getByRole('textbox', { name: 'Look in all stores for' }).fill('What does a parcel cost?');
    await page.keyboard.press('Enter');
    await page.getByText('2 passages found').waitFor();
    await page.getByRole('region', { name: 'Prices' }).getByText('costs nine euros').waitFor();
    await page.getByRole('region', { name: 'Returns' }).getByText('costs nothing').waitFor();
    expect(await page.getByRole('region', { name: 'Notes' }).count()).toBe(0);
    expect(page.url()).toContain('ask=');
    await axe(page);
    await shot(page, 'knowledge-ask-all');
    await page.reload();
    await page.getByRole('region', { name: 'Prices' }).getByRole('link', { name: 'Prices' }).click();
    await page.getByRole('heading', { level: 1, name: 'Prices' }).waitFor();
    await page.getByText('costs nine euros').first().waitFor();
    await close();
  });

  it('are readable at every width in both themes', async () => {
    for (const look of LOOKS) {
      const { page, close } = await signedIn('/knowledge?tab=ask&ask=parcel', look);
      await page.getByText('2 passages found').waitFor();
      await shot(page, `knowledge-ask-all-${look.width}-${look.scheme}`);
      expect(await overflows(page)).toBe(false);
      await close();
    }
  });
});
