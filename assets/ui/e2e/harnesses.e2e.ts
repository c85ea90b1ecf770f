/** Teams that are asked as one: drawn, saved to Live and asked in the browser alone. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axe, focused, LOOKS, missing, overflows, serviceForTests, shot } from './harness';

interface Harness {
  name: string;
  flowId: string;
  specialists: { name: string; description: string }[];
}

describe.skipIf(missing)('harnesses', () => {
  const { service, signedIn } = serviceForTests();
  const listed = (): Promise<Harness[]> => service.call('GET', '/harnesses');

  const saveLive = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Save to Live' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' }).click();
  };
  /** Chooses the scripted model for the card that is open, which says this whatever it is asked. */
  const choose = async (page: Page, says: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.keyboard.type('scripted');
    await page.getByRole('option', { name: /Scripted/ }).click();
    await page.getByLabel('Fallback').fill(says);
  };

  it('begins with a team, is saved to Live, and is asked', async () => {
    for (const { flowId } of await listed()) await service.call('DELETE', `/chatflows/${flowId}`);
    const { page, close } = await signedIn('/');
    await page.getByRole('button', { name: 'New flow' }).first().click();
    await page.getByText('A team of specialists that is asked as one').click();
    await page.getByLabel('Name').fill('Law Desk');
    await axe(page);
    await shot(page, 'harnesses-new');
    await page.getByRole('button', { name: 'Create flow' }).click();
    await page.getByText('A harness is a team that is asked as one').waitFor();
    await axe(page);
    await shot(page, 'harnesses-empty');
    const dock = page.getByRole('complementary', { name: 'Cards' });
    await dock.getByText('Specialist', { exact: true }).waitFor();
    expect(await dock.getByText('Tool Agent').count()).toBe(0);
    await page.getByRole('button', { name: 'Begin with a team' }).click();
    await expect.poll(() => focused(page)).toMatch(/^Team/);
    await shot(page, 'harnesses-begun');
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Harness Name').inputValue()).toBe('law-desk');
    await choose(page, 'The parcel is on its way.');
    // A scripted model does not choose who works.
    await page.getByRole('combobox', { name: 'Routing' }).click();
    await page.getByRole('option', { name: 'Every specialist' }).click();
    await axe(page);
    await shot(page, 'harnesses-team');
    await saveLive(page);
    await page.getByText('Saved to Live', { exact: true }).waitFor();
    expect(await listed()).toMatchObject([{ name: 'law-desk', specialists: [{ name: 'specialist-1' }] }]);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('complementary', { name: 'Test chat' }).getByRole('textbox').fill('Where is it?');
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Conversation' }).getByText('The parcel is on its way.').waitFor();
    const specialist = page.locator('[data-node="harnessSpecialist_0"]');
    await expect.poll(() => specialist.textContent()).toMatch(/finished/i);
    await page.getByRole('complementary', { name: 'Node' }).getByRole('button', { name: 'Close' }).click();
    await shot(page, 'harnesses-asked');
    await close();
  });

  it('says which card keeps a team from being saved, and keeps what was drawn', async () => {
    const { page, close } = await signedIn('/?kind=HARNESS', { allowed: [/chatflows\/.*400/] });
    await page.getByRole('link', { name: /Law Desk/ }).click();
    await page.getByRole('complementary', { name: 'Cards' }).getByText('Specialist', { exact: true }).click();
    await page.getByLabel('Specialist Name').waitFor();
    await saveLive(page);
    await page.waitForTimeout(2500);
    await shot(page, 'harnesses-refused');
    await axe(page);
    await shot(page, 'harnesses-refused');
    expect((await listed())[0]?.specialists).toHaveLength(1);
    expect(await page.getByLabel('Specialist Name').count()).toBe(1);
    await close();
  });

  it('is seen and edited as JSON, and saved to Live', async () => {
    const [harness] = await listed();
    const { page, close } = await signedIn(`/flows/${harness?.flowId}?view=json`);
    const editor = page.getByRole('textbox', { name: /^JSON of/ });
    await editor.click();
    const stored = await service.call<{ flowData: string }>('GET', `/chatflows/${harness?.flowId}`);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(stored.flowData.replaceAll('specialist-1', 'lawyer'));
    await shot(page, 'harnesses-json');
    await saveLive(page);
    await page.getByText('Saved to Live', { exact: true }).waitFor();
    expect((await listed())[0]?.specialists).toMatchObject([{ name: 'lawyer' }]);
    await close();
  });

  it('is duplicated under a name that is free', async () => {
    const { page, close } = await signedIn('/?kind=HARNESS');
    const duplicate = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for Law Desk', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    };
    const names = async (): Promise<string[]> => (await listed()).map(({ name }) => name).sort();
    await duplicate();
    await expect.poll(names).toEqual(['law-desk', 'law-desk-2']);
    await duplicate();
    await expect.poll(names).toEqual(['law-desk', 'law-desk-2', 'law-desk-3']);
    for (const { name, flowId } of await listed())
      if (name !== 'law-desk') await service.call('DELETE', `/chatflows/${flowId}`);
    await close();
  });

  it('is readable at every width in both themes', async () => {
    const [harness] = await listed();
    for (const look of LOOKS) {
      const seen = `${look.width}-${look.scheme}`;
      const { page, close } = await signedIn('/?kind=HARNESS', look);
      await page.getByRole('link', { name: /Law Desk/ }).waitFor();
      expect(await overflows(page), seen).toBe(false);
      await shot(page, `harnesses-list-${seen}`);
      await page.goto(`/flows/${harness?.flowId}`);
      await page.getByText('Specialist', { exact: true }).first().waitFor();
      expect(await overflows(page), seen).toBe(false);
      await shot(page, `harnesses-${seen}`);
      await page.goto(`/flows/${harness?.flowId}/settings`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await overflows(page), seen).toBe(false);
      await shot(page, `harnesses-settings-${seen}`);
      await close();
    }
  }, 120_000);
});
