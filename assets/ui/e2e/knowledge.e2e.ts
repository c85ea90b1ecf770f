/** A document on its way from a file to an answer, in the browser alone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  axe,
  closeBrowser,
  focused,
  missing,
  openSignedIn,
  serviceForTests,
  shot,
  startService,
  type Service,
} from './harness';

const LOOKS = (['light', 'dark'] as const).flatMap((scheme) =>
  [390, 1024, 1440].map((width) => ({ scheme, width, height: 900 })),
);

const PRICES = Array.from(
  { length: 30 },
  (_, at) => `Parcel ${at + 1} costs ${at + 10} euros and arrives within ${at + 1} days.`,
).join('\n\n');

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
  /** A store with one text in it, processed, and filled where `filled`. */
  const make = async (name: string, text = PRICES, filled = true): Promise<string> => {
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
    if (filled)
      await service.call('POST', '/document-store/vectorstore/insert', {
        storeId: id,
        embeddingName: 'hashingEmbeddings',
        embeddingConfig: {},
      });
    return id;
  };
  const noOverflow = async (page: Page, what: string): Promise<void> => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
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

  it('is used in a flow, says so, and warns before it is deleted', async () => {
    const id = await make('Parcels');
    const { page, close } = await signedIn(`/knowledge/${id}`, { width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Use in a flow' }).click();
    await page.locator('[data-node]').filter({ hasText: 'Document Store (Vector)' }).waitFor();
    await page.locator('[data-node]').filter({ hasText: 'Conversational Retrieval QA Chain' }).waitFor();
    await shot(page, 'knowledge-flow');
    const flow = /flows\/([0-9a-f-]+)/.exec(page.url())?.[1] ?? '';
    await service.call('POST', `/flow-drafts/${flow}/publish`, {});
    await page.goto(`/knowledge/${id}`);
    await page.getByRole('link', { name: 'Answers from Parcels' }).waitFor();
    await page.goto('/knowledge');
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
