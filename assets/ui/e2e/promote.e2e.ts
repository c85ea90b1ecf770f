import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { conversation, makeFlow, saveDraft, type Drawing } from './canvases';
import { connectTo, hostForTests, type OwnerCall } from './git-support';
import { axe, missing, overflows, shot, type OpenOptions, type Opened, type Service } from './harness';

const REPO = 'ada/flows';
const QUESTION = 'How much does it cost?';

interface Versions {
  versions: { sha: string; shortSha: string; kind: string; title: string; promotedFrom: string | null }[];
}

describe.skipIf(missing)('promoting from Dev to Prod', () => {
  const { host, onDev, onProd: prodSide } = hostForTests('onDev', 'onProd');
  let dev: Service;
  let prod: Service;
  let devOwner: OwnerCall;
  let prodOwner: OwnerCall;
  let flow: string;
  let drawing: Drawing;

  beforeAll(async () => {
    host.make(REPO);
    ({ service: dev, owner: devOwner } = onDev);
    ({ service: prod, owner: prodOwner } = prodSide);
    drawing = await saying('It costs 12 euros.');
    flow = await makeFlow(dev, 'Shop', drawing);
    await connectTo(devOwner, REPO, 'dev');
  });

  const saying = (reply: string): Promise<Drawing> =>
    conversation(dev, [{ match: 'cost', reply }, { reply: 'Hello.' }]);
  const onProd = (path: string, options: OpenOptions = {}): Promise<Opened> =>
    prodSide.signedIn(path, options);
  /** Publishes a canvas on Dev, and takes it as far as Prod. */
  const publish = async (next: Drawing): Promise<void> => {
    await saveDraft(dev, flow, next);
    await dev.call('POST', `/flow-drafts/${flow}/publish`, {});
    await devOwner('POST', '/github/push');
    await prodOwner('POST', '/github/push');
  };
  const promote = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Promote to Live' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Promote to Live' }).click();
  };
  const changes = (page: Page): Locator => page.getByRole('region', { name: 'What changes in Live' });
  const live = (): Promise<string> =>
    prod
      .call<{ text: string }>('POST', `/prediction/${flow}`, { question: QUESTION })
      .then(({ text }) => text);

  it('says what is missing before anything can come from Dev', async () => {
    const { page, close } = await onProd('/promote');
    await page.getByText('This server is not labelled Prod').waitFor();
    await axe(page);
    await shot(page, 'promote-not-prod');
    await page.getByRole('link', { name: 'Open Git copy' }).click();
    await page.getByRole('radio', { name: 'Prod' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByTitle('This server is labelled Prod').first().waitFor();
    await page.getByRole('link', { name: 'Promote', exact: true }).click();
    await page.getByText('No repository is connected').waitFor();
    await close();
  });

  it('creates a flow that is new here under its id', async () => {
    await connectTo(prodOwner, REPO, 'prod');
    const { page, close } = await onProd('/promote');
    const row = page.getByRole('row').filter({ hasText: 'Shop' });
    await row.getByText('New', { exact: true }).waitFor();
    await shot(page, 'promote-list');
    await axe(page);
    await row.getByRole('link', { name: 'Shop' }).click();
    await page.getByText('The flow is new here: every card of it is added.').waitFor();
    await page
      .getByText(/new .*here.*compare/i)
      .first()
      .waitFor();
    await page.locator('.react-flow__node').first().waitFor();
    await shot(page, 'promote-new');
    await axe(page);
    await promote(page);
    await page.getByText(/^Shop is Live as version [0-9a-f]{7} of Dev$/).waitFor();
    await page.getByText('The flow was created here.').waitFor();
    await shot(page, 'promote-done');
    await axe(page);
    expect(await live()).toBe('It costs 12 euros.');
    await page.getByRole('link', { name: 'See the version' }).click();
    await page.getByText(/^From version [0-9a-f]{7} of Dev/).waitFor();
    await shot(page, 'promote-version');
    await axe(page);
    await close();
  });

  it('lists what changed, draws both canvases, and checks the answers', async () => {
    const next = await saying('It costs 15 euros.');
    next.node('conversationChain_0').data.inputs.systemMessagePrompt = 'Never guess.';
    await publish(next);
    const looks = [390, 1024, 1440].flatMap((width) =>
      (['light', 'dark'] as const).map((scheme) => ({ width, scheme, height: 900 })),
    );
    for (const look of looks) {
      const { width } = look;
      const { page, close } = await onProd(`/promote/${flow}`, look);
      await page.getByText('Update', { exact: true }).first().waitFor();
      await changes(page).getByText('Never guess.').first().waitFor();
      await expect.poll(() => page.locator('.react-flow__renderer').count()).toBe(width === 390 ? 1 : 2);
      await page.screenshot({ path: `e2e/shots/promote-update-${width}-${look.scheme}.png`, fullPage: true });
      await axe(page);
      const wide = await overflows(page);
      expect(wide, `at ${width}`).toBe(false);
      await page.goto('/promote');
      await page.getByRole('row').filter({ hasText: 'Shop' }).waitFor();
      await shot(page, `promote-list-${width}-${look.scheme}`);
      await close();
    }
    const { page, close } = await onProd(`/promote/${flow}`, { width: 1024, height: 900, scheme: 'dark' });
    await page.getByRole('tab', { name: 'Check the answers' }).click();
    expect(page.url()).toContain('tab=check');
    await page.getByText('1 of 10 questions are asked.').waitFor();
    await page.getByRole('button', { name: 'Start the check' }).click();
    await page.getByRole('heading', { name: /the version from Dev does not answer as Live does/ }).waitFor();
    await page
      .getByText(/the version from Dev says 15/)
      .first()
      .waitFor();
    await page.screenshot({ path: 'e2e/shots/promote-check-dark.png', fullPage: true });
    await axe(page);
    expect(await live()).toBe('It costs 12 euros.');
    await close();
  });

  it('says that a newer version arrived, and shows that one', async () => {
    const { page, close } = await onProd(`/promote/${flow}`, { allowed: [/promote.*409/] });
    await changes(page).getByText('Never guess.').first().waitFor();
    const newer = await saying('It costs 16 euros.');
    newer.node('conversationChain_0').data.inputs.systemMessagePrompt = 'Never promise.';
    // The page is not told: it still shows the version of before.
    await publish(newer);
    await promote(page);
    await page.getByText('A newer version arrived from Dev').waitFor();
    await changes(page).getByText('Never promise.').first().waitFor();
    // The check of before was one of the older version.
    await page.getByText(/It was an older version from Dev/).waitFor();
    await shot(page, 'promote-newer');
    await axe(page);
    expect(await live()).toBe('It costs 12 euros.');
    await promote(page);
    await page.getByText(/^Shop is Live as version/).waitFor();
    expect(await live()).toBe('It costs 16 euros.');
    await close();
  });

  it('says that what was shown changed here meanwhile', async () => {
    const next = await saying('It costs 17 euros.');
    await publish(next);
    const { page, close } = await onProd(`/promote/${flow}`, { allowed: [/promote.*409/] });
    await page.getByText('What changes in Live').first().waitFor();
    const here = await saying('It costs 99 euros.');
    await saveDraft(prod, flow, here);
    await prod.call('POST', `/flow-drafts/${flow}/publish`, {});
    await promote(page);
    await page.getByText('What is shown here changed').waitFor();
    await page.getByText('What was shown has changed. Look again before you promote.').waitFor();
    await shot(page, 'promote-changed');
    expect(await live()).toBe('It costs 99 euros.');
    await promote(page);
    await page.getByText(/^Shop is Live as version/).waitFor();
    expect(await live()).toBe('It costs 17 euros.');
    await close();
  });

  it('creates a credential that is missing, under its name, and keeps the draft that is here', async () => {
    const { id } = await dev.call<{ id: string }>('POST', '/credentials', {
      name: 'Team key',
      credentialName: 'openAIApi',
      plainDataObj: { openAIApiKey: 'key-of-dev' },
    });
    const next = await saying('It costs 18 euros.');
    const model = await next.card('chatOpenAI', { modelName: 'gpt-4o-mini' });
    const data = next.node(model).data;
    Object.assign(data, { credential: id });
    Object.assign(data.inputs, { FLOWISE_CREDENTIAL_ID: id });
    await publish(next);
    await saveDraft(prod, flow, await saying('A draft.'));
    const { page, close } = await onProd(`/promote/${flow}`);
    await page.getByText('Credentials are missing here').waitFor();
    expect(await page.getByRole('button', { name: 'Promote to Live' }).isDisabled()).toBe(true);
    await page.getByText('There are unpublished changes of this flow here.').first().waitFor();
    await page.screenshot({ path: 'e2e/shots/promote-missing.png', fullPage: true });
    await axe(page);
    await page.getByRole('button', { name: 'Create “Team key”' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Team key');
    await dialog.getByLabel(/^OpenAI Api Key/i).fill('key-of-prod');
    await dialog.getByRole('button', { name: 'Create', exact: false }).click();
    const button = page.getByRole('button', { name: 'Promote to Live' });
    await expect.poll(() => button.isEnabled()).toBe(true);
    await promote(page);
    await page.getByText('The draft here was kept.').first().waitFor();
    const listed = await prod.call<Versions>('GET', `/flow-versions/${flow}`);
    expect(listed.versions[0]?.kind).toBe('promote');
    await close();
  });

  it('asks for each thing that will make the flow fail, and goes on by keyboard', async () => {
    const next = await saying('Hello {{$vars.greeting}}');
    next.node('conversationChain_0').data.inputs.systemMessagePrompt = 'Say {{$vars.greeting}}.';
    await dev.call('POST', '/variables', { name: 'greeting', value: 'Hi', type: 'static' });
    await publish(next);
    const { page, close } = await onProd(`/promote/${flow}`);
    await page.getByText('It will fail').first().waitFor();
    await page.screenshot({ path: 'e2e/shots/promote-warnings.png', fullPage: true });
    await axe(page);
    await page.getByRole('button', { name: 'Promote to Live' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    expect(await cancel.evaluate((one) => one === document.activeElement)).toBe(true);
    const go = dialog.getByRole('button', { name: 'Promote to Live' });
    expect(await go.isDisabled()).toBe(true);
    for (const box of await dialog.getByRole('checkbox').all()) {
      await box.focus();
      await page.keyboard.press('Space');
    }
    await shot(page, 'promote-confirm');
    await axe(page);
    await expect.poll(() => go.isEnabled()).toBe(true);
    await go.focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Shop is Live as version/).waitFor();
    await page.getByRole('link', { name: 'All that is new' }).click();
    await page.getByText('Nothing new from Dev').waitFor();
    await shot(page, 'promote-empty');
    await axe(page);
    await close();
  });
});
