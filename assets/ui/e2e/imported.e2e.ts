/** Imports every published canvas with the page, moves one card of each, and holds what was saved against the file. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences } from '../src/features/canvas/document/samples';
import type { Stored } from './editor-support';
import { missing, serviceForTests, shot } from './harness';

const folder = process.env.FLOWKEEP_TEMPLATES ? resolve(process.env.FLOWKEEP_TEMPLATES) : '';
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  : [];
if (files.length === 0 && !missing)
  console.warn(
    `No canvas is imported: there is none in “${folder}”. Set FLOWKEEP_TEMPLATES to a folder of them.`,
  );

describe.skipIf(missing || files.length === 0)('a published canvas', () => {
  const { service, signedIn } = serviceForTests();

  /** What the canvas of a flow shows: its draft, or what was imported. */
  async function shownOf(id: string): Promise<string> {
    const { draft } = await service.call<{ draft: { flowData: string } | null }>('GET', `/flow-drafts/${id}`);
    if (draft) return draft.flowData;
    return (await service.call<{ flowData: string }>('GET', `/chatflows/${id}`)).flowData;
  }
  const flows = async (): Promise<string[]> =>
    (await service.call<{ id: string }[]>('GET', '/chatflows?fields=summary')).map(({ id }) => id);

  it.each(files)(
    '%s is imported, and moving one card changes where it lies and nothing else',
    async (path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const file = JSON.parse(text) as Stored;
      const before = await flows();
      const { page, close } = await signedIn('/', { width: 1440, height: 900 });
      await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
      const name = basename(path);
      await page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
      // Where there is something to tell, it is told before anything is taken in.
      const told = page.getByRole('button', { name: 'Import 1 thing' });
      await told.or(page.getByRole('toolbar').first()).first().waitFor();
      if (await told.isVisible()) {
        await told.click();
        await page.getByRole('dialog', { name: `${name} came in` }).waitFor();
      }
      const id = (await flows()).find((one) => !before.includes(one)) ?? '';
      const imported = await shownOf(id);
      const { nodes, edges } = JSON.parse(imported) as Stored;
      expect(differences({ nodes: file.nodes, edges: file.edges }, { nodes, edges })).toEqual([]);

      await page.goto(`/flows/${id}`);
      const at = nodes.findIndex(({ type }) => type !== 'stickyNote');
      const card = page.locator(`[data-node="${nodes[at]?.id}"]`);
      await card.focus();
      await page.keyboard.press('ArrowRight');
      // Kinds without drafts are saved to Live, and by hand.
      const toLive = page.getByRole('button', { name: 'Save to Live' });
      if ((await toLive.count()) > 0) {
        await toLive.click();
        await page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' }).click();
      }
      await expect.poll(() => shownOf(id), { timeout: 20_000 }).not.toBe(imported);
      await page
        .getByText(/^Saved/)
        .first()
        .waitFor();
      const found = differences(JSON.parse(imported), JSON.parse(await shownOf(id)));
      expect(found).toContain(`/nodes/${at}/position/x`);
      const allowed = ['position', 'positionAbsolute'].flatMap((key) => [
        `/nodes/${at}/${key}/x`,
        `/nodes/${at}/${key}/y`,
      ]);
      expect(found.filter((one) => !allowed.includes(one))).toEqual([]);
      await shot(page, `imported-${name.replace(/\W+/g, '-').toLowerCase()}`);
      await close();
    },
  );
});
