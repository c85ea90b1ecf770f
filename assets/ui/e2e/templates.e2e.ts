/** Templates: each starter of the page is drawn with the cards of the service and asked, and the gallery leads to a flow. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { drawRecipe } from '../src/features/canvas/document/recipe';
import type { Definition } from '../src/features/canvas/document/doc';
import { starters, type RecipeStarter } from '../src/features/templates/starters';
import { withFreeName } from '../src/core/teamname';
import { axe, missing, overflows, serviceForTests, shot } from './harness';

type Json = Record<string, unknown>;

/** What the scripted model says, where a starter needs more than any words. */
const rules: Partial<Record<string, Json[]>> = {
  extract: [{ reply: '{"customer": "Ada", "article": "lamp", "count": 2, "urgent": true}' }],
  triage: [
    { match: '(?s).*scenario.*', reply: '{"output": "The customer wants money back"}' },
    { reply: 'You get your money back.' },
  ],
  table: [
    {
      match: '(?s).*CREATE TABLE.*',
      reply: "SELECT sum(count) AS lamps FROM orders WHERE article = 'lamp'",
    },
    { match: '(?s).*"lamps":5.*', reply: 'Five lamps were sold.' },
  ],
  translate: [{ reply: 'GOOD' }],
};

const questions: Partial<Record<string, string>> = {
  answers: 'How long does delivery take?',
  each: 'a lamp\na chair',
  order: 'Where is AB-1234?',
  guard: 'My password is secret',
  table: 'How many lamps were sold?',
};

const answers: Partial<Record<string, RegExp>> = {
  answers: /two to four days/,
  extract: /"count": ?2/,
  guard: /do not send passwords/,
  order: /^I look for order AB-1234\.$/,
  table: /^Five lamps were sold\.$/,
  translate: /^GOOD$/,
};

describe.skipIf(missing)('templates', () => {
  const { service, signedIn } = serviceForTests();
  let cards: Definition[];
  beforeAll(async () => {
    if (!missing) cards = await service.call('GET', '/nodes');
  });

  const drawn = async (starter: RecipeStarter): Promise<string> => {
    const name = starter.builtIn ?? 'chatScripted';
    const script = rules[starter.id];
    const flowData = await drawRecipe(starter, cards, {
      name,
      config: script ? { rules: JSON.stringify(script) } : {},
    });
    const { id } = await service.call<{ id: string }>('POST', '/chatflows', {
      name: starter.id,
      type: starter.type,
      flowData: withFreeName(flowData, []),
    });
    return id;
  };

  test.each(starters.map((starter) => [starter.id, starter] as const))(
    '%s has nothing that keeps it from answering, and answers',
    async (id, starter) => {
      const flow = await drawn(starter);
      const said = await service.call<{ label: string; issues: string[] }[]>(
        'GET',
        `/validation/${flow}?source=draft`,
      );
      if (starter.needs) return expect(JSON.stringify(said)).toMatch(/sqlDatabaseChain|SQL/i);
      expect(said).toEqual([]);
      if (starter.type === 'ETL') {
        const run = await service.call<{ id: string }>('POST', `/etl/${flow}/runs`, {});
        await expect
          .poll(
            async () => (await service.call<{ state: string }>('GET', `/etl/${flow}/runs/${run.id}`)).state,
          )
          .toBe('FINISHED');
        return;
      }
      if (starter.type !== 'HARNESS') await service.call('POST', `/flow-drafts/${flow}/publish`, {});
      if (id === 'daily') {
        const { enabled, record } = await service.call<{
          enabled: boolean;
          record: { upcomingRuns: string[] };
        }>('GET', `/chatflows/${flow}/schedule/status`);
        expect([enabled, record.upcomingRuns.length]).toEqual([true, 5]);
        return;
      }
      if (id === 'hook') {
        const said = await service.call<Json>('POST', `/webhook/${flow}`, { order: 'AB-1234 is on its way' });
        return expect(JSON.stringify(said)).toContain('AB-1234');
      }
      const asked = await service.call<{ text?: string; json?: unknown; action?: unknown }>(
        'POST',
        `/prediction/${flow}`,
        id === 'form'
          ? { form: { to: 'Ada', about: 'A lamp', tone: 'formal' } }
          : { question: questions[id] ?? 'Is a lamp a good present?' },
      );
      if (id === 'triage') expect(asked.action).toBeTruthy();
      else expect(asked.text ?? JSON.stringify(asked.json)).toMatch(answers[id] ?? /\S/);
    },
  );

  it('are found by use and by words, and one becomes a flow that answers', async () => {
    const { page, close } = await signedIn('/templates');
    const titles = page.getByRole('main').getByRole('heading', { level: 3 });
    await expect.poll(() => titles.count()).toBeGreaterThanOrEqual(starters.length + 8);
    await axe(page);
    await shot(page, 'templates');
    await page.getByRole('combobox', { name: 'Use' }).click();
    await page.getByRole('option', { name: 'Control and safety' }).click();
    await expect.poll(() => titles.allTextContents()).toEqual(['Moderated chat', 'Both sides']);
    await page.goto('/templates?ready=1');
    await titles.first().waitFor();
    // No provider has a credential here, and no database is named.
    const unready = titles.filter({ hasText: /^(Agent with tools|Questions to a database)$/ });
    await expect.poll(() => unready.count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search templates' }).fill('number code');
    await page.getByRole('button', { name: 'Rules without a model' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rules without a model' });
    await dialog.locator('[data-node]').first().waitFor();
    await axe(page);
    await shot(page, 'templates-use');
    await dialog.getByRole('textbox', { name: 'Name of the flow' }).fill('Orders');
    await dialog.getByRole('button', { name: 'Use template' }).click();
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);
    await page.locator('[data-node]').first().waitFor();
    await shot(page, 'templates-flow');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Where is CD-1234?');
    await page.keyboard.press('Enter');
    await page.getByText('I look for order CD-1234.').first().waitFor();
    await close();
  });

  it('say what they need before they are used, and take a model of choice', async () => {
    const { page, close } = await signedIn('/templates?template=answers');
    const dialog = page.getByRole('dialog', { name: 'Support answers' });
    await dialog.getByRole('combobox', { name: 'Model' }).first().click();
    await page.getByRole('option', { name: 'OpenAI', exact: true }).click();
    await dialog.getByText('Connect Credential').first().waitFor();
    await axe(page);
    await shot(page, 'templates-model');
    await page.goto('/templates?template=sql');
    await page.getByText('the address of a database').waitFor();
    await page.goto('/templates?template=starter-tools');
    await page.getByText(/^It answers once these have a credential/).waitFor();
    await close();
  });

  it('of the workspace are kept from a flow, used, and deleted', async () => {
    const { page, close } = await signedIn('/templates?tab=own');
    await page.getByText('No templates of your own yet').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'New template' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New template' });
    await dialog.getByRole('combobox', { name: 'Flow' }).click();
    await page.getByRole('option', { name: 'guard' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('House rules');
    await axe(page);
    await dialog.getByRole('button', { name: 'Keep as template' }).click();
    await page.getByRole('button', { name: 'House rules', exact: true }).click();
    await page.getByRole('dialog', { name: 'House rules' }).locator('[data-node]').first().waitFor();
    await page.getByRole('button', { name: 'Use template' }).click();
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);
    await page.goto('/templates?tab=own');
    await page
      .getByRole('button', { name: /House rules/ })
      .nth(1)
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the template “House rules”?' });
    await question.waitFor();
    await axe(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'House rules', exact: true }).waitFor();
    await page
      .getByRole('button', { name: /House rules/ })
      .nth(1)
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Delete template' }).click();
    await page.getByText('No templates of your own yet').waitFor();
    await close();
  });

  it('are made of a flow from its menu, and a team stays a team', async () => {
    const { page, close } = await signedIn('/');
    await page.getByRole('button', { name: 'Actions for team', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Keep as template' }).click();
    const dialog = page.getByRole('dialog', { name: 'New template' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Our team');
    await dialog.getByRole('button', { name: 'Keep as template' }).click();
    const card = page.getByRole('listitem').filter({ hasText: 'Our team' });
    await card.getByText('Harness', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Our team', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Our team' })
      .getByRole('button', { name: 'Use template' })
      .click();
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);
    const id = page.url().split('/').at(-1) ?? '';
    expect((await service.call<{ type: string }>('GET', `/chatflows/${id}`)).type).toBe('HARNESS');
    await close();
  });

  it('are shared with every workspace, which may use them and not change them', async () => {
    const { page, context, close } = await signedIn('/templates?tab=own');
    const headers = { origin: service.baseUrl, 'x-request-from': 'internal' };
    const here = (await (await context.request.get('/api/v1/auth/me', { headers })).json()) as {
      activeWorkspaceId: string;
    };
    const there = (await (
      await context.request.post('/api/v1/workspace', {
        data: { name: 'Next door', description: '' },
        headers,
      })
    ).json()) as { id: string };
    const moveTo = async (id: string): Promise<void> => {
      const moved = await context.request.post(`/api/v1/workspace/switch?id=${id}`, { headers });
      expect(moved.ok()).toBe(true);
      await page.goto('/templates?tab=own');
      await page.getByRole('tab', { name: 'Own and shared' }).waitFor();
    };
    // What the page says of it in passing is a list too.
    const card = page.getByRole('main').getByRole('listitem').filter({ hasText: 'For everybody' });
    const everywhere = { name: 'Every workspace of this server may use it' };
    await page.getByRole('button', { name: 'New template' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New template' });
    await dialog.getByRole('combobox', { name: 'Flow' }).click();
    await page.getByRole('option', { name: 'guard' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('For everybody');
    await dialog.getByRole('checkbox', everywhere).click();
    await axe(page);
    await shot(page, 'templates-new');
    await dialog.getByRole('button', { name: 'Keep as template' }).click();
    await card.getByText('Shared', { exact: true }).waitFor();
    // What is said of it is changed where it was kept.
    await card.getByRole('button', { name: 'Actions for For everybody' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit the template “For everybody”' });
    await edit.getByRole('textbox', { name: 'What it is for' }).fill('Keeps bad words away.');
    await edit.getByRole('textbox', { name: 'Uses' }).fill('chats, moderation');
    await axe(page);
    await shot(page, 'templates-edit');
    await edit.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Keeps bad words away.').waitFor();
    await card.getByText('moderation', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search templates' }).fill('moderation');
    await card.waitFor();

    await moveTo(there.id);
    await card.getByText('Of the workspace Default Workspace').waitFor();
    expect(await card.getByRole('button', { name: 'Actions for For everybody' }).count()).toBe(0);
    await axe(page);
    await shot(page, 'templates-shared');
    await card.getByRole('button', { name: 'For everybody', exact: true }).click();
    const use = page.getByRole('dialog', { name: 'For everybody' });
    await use.locator('[data-node]').first().waitFor();
    await use.getByRole('button', { name: 'Use template' }).click();
    await page.waitForURL(/\/flows\/[0-9a-f-]{36}$/);

    // Shared no more, it is gone there.
    await moveTo(here.activeWorkspaceId);
    await card.getByRole('button', { name: 'Actions for For everybody' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await edit.getByRole('checkbox', everywhere).click();
    await edit.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Shared', { exact: true }).waitFor({ state: 'detached' });
    await moveTo(there.id);
    await page.getByText('No templates of your own yet').waitFor();
    await moveTo(here.activeWorkspaceId);
    await close();
  });

  it('name the cards that this server does not have, and do not fail for them', async () => {
    const flowData = JSON.stringify({
      nodes: [
        {
          id: 'cardOfTomorrow_0',
          type: 'customNode',
          position: { x: 0, y: 0 },
          data: { id: 'cardOfTomorrow_0', name: 'cardOfTomorrow', label: 'Card of tomorrow', inputs: {} },
        },
      ],
      edges: [],
    });
    const flow = { name: 'Of tomorrow', type: 'CHATFLOW', flowData };
    const { id } = await service.call<{ id: string }>('POST', '/chatflows', flow);
    await service.call('POST', '/marketplaces/custom', {
      name: 'Of tomorrow',
      description: '',
      chatflowId: id,
    });
    const { page, close } = await signedIn('/templates?tab=own');
    await page.getByText('Not on this server: Card of tomorrow').first().waitFor();
    await page.getByRole('button', { name: 'Of tomorrow', exact: true }).first().click();
    const own = page.getByRole('dialog', { name: 'Of tomorrow' });
    await own.getByText('This server does not have: Card of tomorrow').waitFor();
    await own.getByRole('button', { name: 'Use template' }).waitFor();
    await axe(page);
    await shot(page, 'templates-missing');
    await page.goto('/templates?tab=own&ready=1');
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Of tomorrow', exact: true }).count()).toBe(0);
    // A recipe is not drawn without a card, so there is nothing to use.
    await page.route('**/api/v1/nodes', async (route) => {
      const answer = await route.fetch();
      const all = (await answer.json()) as { name: string }[];
      await route.fulfill({ response: answer, json: all.filter(({ name }) => name !== 'bufferMemory') });
    });
    await page.goto('/templates?template=answers');
    const recipe = page.getByRole('dialog', { name: 'Support answers' });
    await recipe.getByText('This server does not have: bufferMemory').waitFor();
    expect(await recipe.getByRole('button', { name: 'Use template' }).count()).toBe(0);
    await recipe.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await close();
  });

  it('count as ready only with a model that can answer', async () => {
    const { page, close } = await signedIn('/templates');
    const titles = page.getByRole('main').getByRole('heading', { level: 3 });
    const card = page.getByRole('listitem').filter({ hasText: 'Both sides' });
    await card.getByText('Credential of a model').waitFor();
    await page.goto('/templates?ready=1');
    await titles.filter({ hasText: 'Support answers' }).waitFor();
    expect(await titles.filter({ hasText: 'Both sides' }).count()).toBe(0);
    await service.call('POST', '/credentials', {
      name: 'Key of a provider',
      credentialName: 'openAIApi',
      plainDataObj: { openAIApiKey: 'sk-not-a-key' },
    });
    await page.reload();
    await titles.filter({ hasText: 'Both sides' }).waitFor();
    await close();
  });

  it('are readable at every width in both themes', async () => {
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [390, 1024, 1440]) {
        const { page, close } = await signedIn('/templates', { scheme, width, height: 900 });
        await page.getByRole('heading', { level: 3 }).first().waitFor();
        await shot(page, `templates-${width}-${scheme}`);
        await page.goto('/templates?template=triage');
        await page.getByRole('dialog').locator('[data-node]').first().waitFor();
        await shot(page, `templates-use-${width}-${scheme}`);
        expect(await overflows(page)).toBe(false);
        await close();
      }
  }, 120_000);
});
