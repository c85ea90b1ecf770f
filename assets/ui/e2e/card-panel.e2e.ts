/** What the panel of a card says of its inputs: which credential opens it, what requests change, what is no JSON. */
import { describe, expect, it } from 'vitest';
import { emptyDoc, writeDoc, type Definition } from '../src/features/canvas/document/doc';
import { addCard, setInput } from '../src/features/canvas/document/edit';
import { draftsOf, node, panel, saved } from './editor-support';
import { axe, missing, serviceForTests, shot } from './harness';
import type { Made } from './flow-support';

describe.skipIf(missing)('the panel of a card', () => {
  const { service, signedIn } = serviceForTests();
  const drafts = draftsOf(service);
  const wide = { width: 1440, height: 900 };

  async function flow(
    name: string,
    type: string,
    card: string,
    inputs: Record<string, unknown> = {},
  ): Promise<string> {
    const cards = await service.call<Definition[]>('GET', '/nodes');
    const found = cards.find((one) => one.name === card);
    if (!found) throw new Error(`There is no card ${card}.`);
    const added = addCard(emptyDoc(), found, { x: 0, y: 0 });
    const doc = Object.entries(inputs).reduce(
      (one, [key, value]) => setInput(one, added.id, key, value),
      added.doc,
    );
    return drafts.make(name, type, writeDoc(doc));
  }

  it('makes a credential in place, and signs in for one that needs it', async () => {
    const id = await flow('Mail', 'CHATFLOW', 'gmail');
    const { page, close } = await signedIn(`/flows/${id}?node=gmail_0`, wide);
    await panel(page).locator('[data-param=credential]').getByRole('combobox').click();
    await page.getByRole('button', { name: 'New credential' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('Work mail');
    for (const name of ['Client ID', 'Client Secret'])
      await form.getByLabel(name, { exact: false }).first().fill('x');
    await axe(page);
    await form.getByRole('button', { name: 'Create credential' }).click();
    const sign = page.getByRole('dialog', { name: 'Sign in for “Work mail”' });
    await sign.getByRole('button', { name: 'Sign in' }).waitFor();
    await axe(page);
    await shot(page, 'panel-sign-in');
    await sign.getByRole('button', { name: 'Later' }).click();
    await panel(page).getByText('Work mail').waitFor();
    await saved(page);
    const made = (await service.call<Made[]>('GET', '/credentials'))[0]?.id;
    await expect.poll(async () => (await drafts.read(id)).nodes[0]?.data.credential).toBe(made);
    await close();
  });

  it('marks what a request may change, and that alone', async () => {
    const id = await flow('Open', 'AGENTFLOW', 'llmAgentflow', {
      llmModel: 'chatOpenAI',
      llmModelConfig: { llmModel: 'chatOpenAI', modelName: 'gpt-4o', temperature: 0.5 },
    });
    const listed = (name: string): object => ({ label: name, name, type: 'string', enabled: true });
    const nodes = { 'LLM 0': ['llmUserMessage', 'temperature', 'llmModel', 'llmMessages'].map(listed) };
    await service.call('PUT', `/chatflows/${id}`, {
      apiConfig: JSON.stringify({ overrideConfig: { status: true, nodes, variables: [] } }),
    });
    await service.call('POST', `/flow-drafts/${id}/publish`, {});
    const { page, close } = await signedIn(`/flows/${id}?node=llmAgentflow_0`, wide);
    const marked = async (): Promise<string[]> => {
      const fields = panel(page).locator('[data-param]').filter({ hasText: 'Requests may change it' });
      return fields.evaluateAll((all) => all.map((one) => one.getAttribute('data-param') ?? ''));
    };
    await panel(page).getByText('Requests may change it').first().waitFor();
    // A request never picks the model, nor how it is set.
    await expect.poll(marked).toEqual(['llmMessages', 'llmUserMessage']);
    await axe(page);
    await shot(page, 'panel-overridable');
    await close();
  });

  it('says from where on a text is no JSON', async () => {
    const id = await flow('JSON', 'CHATFLOW', 'promptTemplate', { promptValues: '{"a": "{{question}}"}' });
    const { page, close } = await signedIn(`/flows/${id}?node=promptTemplate_0`, wide);
    const field = panel(page).locator('[data-param=promptValues]');
    await field.locator('.cm-content').waitFor();
    expect(await field.getByText(/is no JSON/).count()).toBe(0);
    await field.locator('.cm-content').fill('{\n  "a": 1,\n  b: 2\n}');
    await field.getByText('From line 3, column 3 on this is no JSON.').waitFor();
    await expect.poll(() => field.locator('.cm-content').getAttribute('aria-invalid')).toBe('true');
    await field.locator('.cm-fault').getByText('b: 2').waitFor();
    await axe(page);
    await shot(page, 'panel-json');
    // What is written is kept all the same.
    await saved(page);
    expect((await drafts.read(id)).nodes[0]?.data.inputs.promptValues).toContain('b: 2');
    await field.locator('.cm-content').fill('{"a": 1}');
    await field.getByText(/is no JSON/).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await node(page, /Prompt/).waitFor();
    await close();
  });

  it('says which form JSON has, and where a value is of another, as the list of problems does', async () => {
    const id = await flow('Form', 'CHATFLOW', 'structuredOutputParser', { jsonStructure: '[]' });
    const { page, close } = await signedIn(`/flows/${id}?node=structuredOutputParser_0`, wide);
    // Additional settings are folded.
    await panel(page)
      .getByText(/additional settings?$/)
      .click();
    const field = panel(page).locator('[data-param=jsonStructure]');
    await field
      .getByText('It is a JSON list of objects with the texts property, type, description.')
      .waitFor();
    await field.locator('.cm-content').fill('[\n  {"property": "a"},\n  {"property": 5}\n]');
    await field.getByText('Line 3, column 16: a text is wanted here.').waitFor();
    await expect.poll(() => field.locator('.cm-content').getAttribute('aria-invalid')).toBe('true');
    await field.locator('.cm-fault').getByText('"property": 5').waitFor();
    const said = 'JSON Structure must be a list of objects with the texts property, type, description.';
    await panel(page).getByText(said).waitFor();
    await page.getByRole('button', { name: /^\d+ problems?$/ }).click();
    await page.getByRole('dialog', { name: 'Problems' }).getByText(said).waitFor();
    await axe(page);
    await shot(page, 'panel-json-form');
    await page.keyboard.press('Escape');
    await field.locator('.cm-content').fill('[{"property": "a"}]');
    await field.getByText(/is wanted here/).waitFor({ state: 'detached' });
    await panel(page).getByText(said).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await node(page, /Structured Output Parser/).waitFor();
    await close();
  });

  // A browser would hand the colours on as a style attribute, and the policy refuses it with an error.
  it('is typed over where its text is coloured, without a word in the console', async () => {
    const id = await flow('Over', 'CHATFLOW', 'promptTemplate', { promptValues: '{"a": 1}' });
    const { page, close } = await signedIn(`/flows/${id}?node=promptTemplate_0`, wide);
    const field = panel(page).locator('[data-param=promptValues] .cm-content');
    for (let round = 0; round < 4; round++) {
      for (const text of ['{\n  "a": 1,\n  b: 2\n}', 'nope', '{"a": "b"}']) await field.fill(text);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('{"a": 1}');
    }
    await expect.poll(() => field.textContent()).toBe('{"a": 1}');
    await saved(page);
    await close();
  });
});
