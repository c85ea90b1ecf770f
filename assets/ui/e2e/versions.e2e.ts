import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { conversation, makeFlow, saveDraft, type Drawing } from './canvases';
import { axe, missing, serviceForTests, shot } from './harness';

const FIRST = 'You are a helpful assistant.\nAnswer in one sentence.\nBe kind.';
const SECOND = 'You are a careful assistant.\nAnswer in one sentence.\nBe brief.\nNever guess.';

interface Listed {
  versions: { sha: string; shortSha: string; title: string; kind: string }[];
  liveSha: string | null;
}

describe.skipIf(missing)('versions', () => {
  const { service, signedIn } = serviceForTests();
  let flow: string;
  let drawing: Drawing;
  beforeAll(async () => {
    drawing = await conversation(service, [{ reply: 'One' }]);
    drawing.node('conversationChain_0').data.inputs.systemMessagePrompt = FIRST;
    flow = await makeFlow(service, 'Support', drawing);
    drawing.node('conversationChain_0').data.inputs.systemMessagePrompt = SECOND;
    drawing.node('bufferMemory_0').position.y = 300;
    const note = await drawing.card('calculator');
    drawing.node(note).position = { x: 200, y: 420 };
    await saveDraft(service, flow, drawing);
    await service.call('POST', `/flow-drafts/${flow}/publish`, {});
    await service.call('PUT', `/chatflows/${flow}`, {
      chatbotConfig: JSON.stringify({ starterPrompts: { 0: { prompt: 'Hi' } } }),
    });
  });

  const listed = (): Promise<Listed> => service.call('GET', `/flow-versions/${flow}`);
  const at = async (kind: string, nth = 0): Promise<{ sha: string; shortSha: string; title: string }> => {
    const found = (await listed()).versions.filter((version) => version.kind === kind)[nth];
    if (!found) throw new Error(`There is no ${kind}.`);
    return found;
  };
  const path = (query = ''): string => `/flows/${flow}/versions${query}`;
  const list = (page: Page) => page.getByRole('region', { name: 'Versions of this flow' });

  it('lists them by day with their kinds, and filters', async () => {
    const { page, close } = await signedIn(path());
    await list(page)
      .getByText(/^Published: /)
      .first()
      .waitFor();
    expect(await list(page).getByRole('heading', { level: 2 }).count()).toBe(1);
    await list(page).getByText('Live', { exact: true }).waitFor();
    await axe(page);
    await shot(page, 'versions');
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Published' }).click();
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(2);
    expect(page.url()).toContain('show=published');
    await page.reload();
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(2);
    await page.goto(path('?by=nobody'));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => list(page).getByRole('listitem').count()).toBeGreaterThan(2);
    await close();
  });

  it('compares a version with the one before it, with values', async () => {
    const publish = await at('publish');
    const { page, close } = await signedIn(path(`?v=${publish.shortSha}&against=previous`), {
      height: 1000,
    });
    const changes = page.getByRole('region', { name: 'What differs' });
    const words = page.getByRole('list', { name: 'What changed, in words' });
    await words.getByText('Calculator is new.').waitFor();
    await changes.getByRole('button', { name: 'Calculator', exact: true }).waitFor();
    await changes.getByText('Moved', { exact: true }).waitFor();
    await changes.getByText('System Message', { exact: true }).first().waitFor();
    await changes.getByText('Never guess.').last().waitFor();
    await shot(page, 'versions-compare');
    await axe(page);
    await page.getByRole('combobox', { name: 'Compare with' }).click();
    await page.getByRole('option', { name: 'Live as it is now' }).click();
    await changes.getByText('Settings', { exact: true }).waitFor();
    expect(page.url()).toContain('against=current');
    await shot(page, 'versions-compare-settings');
    await close();
  });

  it('says that settings are never brought back', async () => {
    const save = await at('save');
    const { page, close } = await signedIn(path(`?v=${save.shortSha}`));
    await page.getByText('Only settings changed here').waitFor();
    expect(await page.getByRole('button', { name: 'Roll back Live' }).count()).toBe(0);
    await close();
  });

  it('rolls Live back after asking, by keyboard alone', async () => {
    const older = await at('publish', 1);
    const { page, close } = await signedIn(path(`?v=${older.shortSha}`));
    const button = page.getByRole('button', { name: 'Roll back Live' });
    await expect.poll(() => button.isEnabled()).toBe(true);
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('1 removed, 1 changed').waitFor();
    await shot(page, 'versions-rollback');
    await axe(page);
    expect(
      await dialog.getByRole('button', { name: 'Cancel' }).evaluate((one) => one === document.activeElement),
    ).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(`Live is now version ${older.shortSha}`).first().waitFor();
    await list(page)
      .getByText(/^Rolled back Live to: /)
      .waitFor();
    expect((await listed()).versions[0]?.kind).toBe('rollback');
    await close();
  });

  it('restores to the draft, at once when there is none and after asking when there is', async () => {
    const newer = await at('publish');
    const { page, close } = await signedIn(path(`?v=${newer.shortSha}`), { scheme: 'dark' });
    await page.getByRole('button', { name: 'Restore to draft' }).click();
    await page.getByText(`The draft is now version ${newer.shortSha}`).first().waitFor();
    await list(page).getByText('Unpublished changes').waitFor();
    await list(page).getByText('Unpublished changes').click();
    await page
      .getByRole('list', { name: 'What changed, in words' })
      .getByText('Calculator is new.')
      .waitFor();
    expect(page.url()).toContain('v=draft');
    await shot(page, 'versions-draft-dark');
    await axe(page);
    const older = await at('publish', 1);
    await page.goto(path(`?v=${older.shortSha}`));
    await page.getByRole('button', { name: 'Restore to draft' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore to draft' }).click();
    await page.getByText('Nothing changed: Live is this version already').first().waitFor();
    await close();
  });

  it('says after a roll back what must be put right, and leads there', async () => {
    const chain = 'conversationChain_0';
    const hiding = await conversation(service, []);
    hiding.node(chain).data.inputs.systemMessagePrompt = 'Sign in with AKIAABCDEFGHIJKLMNOP.';
    const id = await makeFlow(service, 'Hiding', hiding);
    hiding.node(chain).data.inputs.systemMessagePrompt = 'Be kind.';
    await saveDraft(service, id, hiding);
    await service.call('POST', `/flow-drafts/${id}/publish`, {});
    const older = (await service.call<Listed>('GET', `/flow-versions/${id}`)).versions[1];
    const { page, close } = await signedIn(`/flows/${id}/versions?v=${older?.shortSha}`);
    await page.getByText('1 hidden secret', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Roll back Live' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('System Message of Conversation Chain holds a hidden secret').waitFor();
    await dialog.getByRole('button', { name: 'Roll back Live' }).click();
    await page.getByText('The version is Live. Put this right').waitFor();
    await shot(page, 'versions-fix');
    await axe(page);
    await page.getByRole('button', { name: 'Go to node' }).click();
    await page.waitForURL(new RegExp(`/flows/${id}\\?node=${chain}`));
    await page.getByRole('button', { name: 'Close' }).first().waitFor();
    await close();
  });

  it('tells a history that is off, empty or failed', async () => {
    const { page, close } = await signedIn(`/flows/${flow}`);
    const tell = async (answer: object): Promise<void> => {
      await page.unrouteAll();
      await page.route(`**/flow-versions/${flow}`, (route) =>
        route.fulfill({
          json: {
            enabled: true,
            versions: [],
            lastError: null,
            liveSha: null,
            lastPublished: null,
            ...answer,
          },
        }),
      );
      await page.goto(path());
    };
    await tell({ enabled: false });
    await page.getByText('Version history is off on this server').waitFor();
    await tell({});
    await page.getByText('Unpublished changes').or(page.getByText('No versions yet')).first().waitFor();
    await tell({ lastError: 'The disk is full.' });
    await page.getByText('The disk is full.').waitFor();
    await shot(page, 'versions-error');
    await axe(page);
    await close();
  });

  it('works on a narrow page', async () => {
    const { page, close } = await signedIn(path(), { width: 390, height: 780 });
    await list(page)
      .getByText(/^Published: /)
      .first()
      .click();
    await page.getByRole('link', { name: 'All versions' }).waitFor();
    await page.getByRole('button', { name: 'Scripted Chat Model' }).first().waitFor();
    await shot(page, 'versions-narrow');
    await axe(page);
    const { shortSha } = await at('publish');
    await page.goto(path(`?v=${shortSha}&against=previous`));
    await page.getByRole('region', { name: 'What differs' }).getByText('Never guess.').waitFor();
    await page.screenshot({ path: 'e2e/shots/versions-narrow-compare.png', fullPage: true });
    await axe(page);
    await page.getByRole('link', { name: 'All versions' }).click();
    await list(page).waitFor();
    await close();
  });
});
