/** Assistants: told in a form, asked in the test chat, saved to Live. */
import { describe, expect, it } from 'vitest';
import { axe, focused, LOOKS, missing, overflows, serviceForTests, shot } from './harness';

interface Stored {
  id: string;
  details: string;
}

interface Details {
  name: string;
  instruction: string;
  chatModel?: { name: string; inputs: Record<string, unknown> };
  tools: { name: string }[];
  documentStores: { id: string; name: string; description: string; returnSourceDocuments: boolean }[];
}

describe.skipIf(missing)('assistants', () => {
  const { service, signedIn } = serviceForTests();

  const make = (details: object): Promise<Stored> =>
    service.call('POST', '/assistants', { type: 'CUSTOM', details: JSON.stringify(details) });
  const read = async (id: string): Promise<Details> =>
    JSON.parse((await service.call<Stored>('GET', `/assistants/${id}`)).details) as Details;
  const saying = (name: string, fallback: string, more: object = {}): object => ({
    name,
    chatModel: { name: 'chatScripted', inputs: { fallback } },
    ...more,
  });
  /** A document store that can be searched. */
  const fillStore = async (name: string): Promise<string> => {
    const { id } = await service.call<{ id: string }>('POST', '/document-store/store', { name });
    await service.call('POST', `/document-store/upsert/${id}`, {
      loader: { name: 'plainText', config: { text: 'Parcels leave on Mondays.' } },
    });
    await service.call('POST', '/document-store/vectorstore/insert', {
      storeId: id,
      embeddingName: 'hashingEmbeddings',
    });
    return id;
  };

  it('makes an assistant from nothing, and asks it', async () => {
    for (const { id } of await service.call<Stored[]>('GET', '/assistants'))
      await service.call('DELETE', `/assistants/${id}`);
    for (const { id } of await service.call<{ id: string }[]>('GET', '/document-store/store'))
      await service.call('DELETE', `/document-store/store/${id}?force=true`);
    const store = await fillStore('Hand book');
    const { page, close } = await signedIn('/');
    await page.getByRole('navigation').getByRole('link', { name: 'Assistants' }).click();
    await page.getByText('No assistants yet').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'New assistant' }).click();
    await page.getByLabel('Name').fill('Desk');
    await page.getByRole('button', { name: 'Create assistant' }).click();
    await page.waitForURL(/\/flows\/[0-9a-f-]+$/);
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    await page.getByText('What is saved cannot answer yet').waitFor();
    await axe(page);
    await page.getByLabel('Instructions').fill('Be brief.');
    await page.getByRole('combobox', { name: 'Chat model' }).click();
    await page.keyboard.type('scripted');
    await page.getByRole('option', { name: /Scripted/ }).click();
    await page
      .getByLabel(/^Fallback|^Answer/)
      .first()
      .fill('They leave on Mondays.');
    await page.getByRole('combobox', { name: 'Add a document store' }).click();
    await page.getByRole('option', { name: 'Hand book' }).click();
    await page
      .getByRole('group', { name: 'Hand book' })
      .getByLabel('What is in it')
      .fill('When parcels leave');
    await page.getByRole('combobox', { name: 'Add a tool' }).click();
    await page.keyboard.type('calculator');
    await page.getByRole('option', { name: /^Calculator/ }).click();
    await page.getByRole('group', { name: 'Calculator' }).waitFor();
    await page.getByText('Not Live yet.', { exact: false }).waitFor();
    await axe(page);
    await shot(page, 'assistants-form');
    await page.getByRole('button', { name: 'Save to Live' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' }).click();
    await page.getByText('Saved to Live', { exact: true }).waitFor();
    expect(await read(id)).toMatchObject({
      name: 'Desk',
      instruction: 'Be brief.',
      chatModel: { name: 'chatScripted', inputs: { fallback: 'They leave on Mondays.' } },
      tools: [{ name: 'calculator' }],
      documentStores: [
        { id: store, name: 'Hand book', description: 'When parcels leave', returnSourceDocuments: true },
      ],
    });
    await page.getByText('What is saved cannot answer yet').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const chat = page.getByRole('complementary', { name: 'Test chat' });
    await chat.getByRole('textbox').fill('When do parcels leave?');
    await page.keyboard.press('Enter');
    await chat.getByRole('group', { name: 'Conversation' }).getByText('They leave on Mondays.').waitFor();
    await shot(page, 'assistants-asked');
    await page.goto('/assistants');
    await page.getByRole('row', { name: /Desk.*Be brief.*Scripted/ }).waitFor();
    await axe(page);
    await close();
  });

  it('keeps what was typed while another tab is shown, and asks before it is lost', async () => {
    const { id } = await make(saying('Office', 'one', { tools: [{ name: 'calculator' }] }));
    const { page, close } = await signedIn(`/flows/${id}`);
    await page.getByLabel('Instructions').fill('Answer in one word.');
    await page
      .getByRole('group', { name: 'Calculator' })
      .getByRole('button', { name: 'Remove Calculator' })
      .click();
    await expect.poll(() => focused(page)).toContain('Add a tool');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('link', { name: 'Editor' }).click();
    expect(await page.getByLabel('Instructions').inputValue()).toBe('Answer in one word.');
    await page.getByRole('link', { name: 'Back to flows' }).click();
    await page.getByRole('alertdialog').getByText('Leave without saving?').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+s');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' }).click();
    await page.getByText('Saved to Live', { exact: true }).waitFor();
    const saved = await read(id);
    expect([saved.instruction, saved.tools]).toEqual(['Answer in one word.', []]);
    await page.getByRole('link', { name: 'Versions' }).click();
    await expect.poll(() => page.getByRole('listitem').count()).toBeGreaterThan(1);
    await close();
  });

  it('does not save over what somebody else saved meanwhile unless it is told to', async () => {
    const { id } = await make(saying('Shared desk', 'one'));
    const { page, close } = await signedIn(`/flows/${id}`);
    const save = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Save to Live' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' }).click();
    };
    await page.getByLabel('Instructions').fill('Mine.');
    const theirs = JSON.stringify(saying('Shared desk', 'one', { instruction: 'Theirs.' }));
    await service.call('PUT', `/assistants/${id}`, { details: theirs });
    await save();
    await page.getByText('Somebody else changed this assistant').waitFor();
    await axe(page);
    await shot(page, 'assistants-conflict');
    expect((await read(id)).instruction).toBe('Theirs.');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await expect.poll(async () => (await read(id)).instruction).toBe('Mine.');
    await page.getByLabel('Instructions').fill('Mine again.');
    await service.call('PUT', `/assistants/${id}`, { details: theirs });
    await save();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await expect.poll(() => page.getByLabel('Instructions').inputValue()).toBe('Theirs.');
    await close();
  });

  it('says why something cannot be saved, and keeps it', async () => {
    const { id } = await make(saying('Named', 'one'));
    const { page, close } = await signedIn(`/flows/${id}`);
    await page.getByLabel('Name').fill(' ');
    await page.getByRole('button', { name: 'Save to Live' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Save to Live' }).click();
    await page.getByText('It needs a name.').waitFor();
    await page.getByText('Not saved', { exact: false }).first().waitFor();
    expect((await read(id)).name).toBe('Named');
    await close();
  });

  it('has the model write the instructions', async () => {
    const { id } = await make(saying('Written', 'You answer questions about parcels.'));
    const { page, close } = await signedIn(`/flows/${id}`);
    await page.getByRole('button', { name: 'Write with the model' }).click();
    const dialog = page.getByRole('dialog', { name: 'Write instructions' });
    await axe(page);
    await dialog.getByLabel('What is the assistant for?').fill('Parcels');
    await shot(page, 'assistants-write');
    await dialog.getByRole('button', { name: 'Write', exact: true }).click();
    await expect
      .poll(() => page.getByLabel('Instructions').inputValue())
      .toBe('You answer questions about parcels.');
    expect((await read(id)).instruction).toBe('');
    await close();
  });

  it('shows who may only look what there is, and nothing to change it with', async () => {
    const { id } = await make(saying('Seen', 'one', { tools: [{ name: 'calculator' }] }));
    const { page, close } = await signedIn('/assistants');
    await page.route('**/api/v1/auth/me', async (route) => {
      const answer = await route.fetch();
      const me = (await answer.json()) as object;
      const permissions = ['assistants:view', 'chatflows:view'];
      await route.fulfill({ response: answer, json: { ...me, isOrganizationAdmin: false, permissions } });
    });
    await page.reload();
    await page.getByText(/You may look at assistants only/).waitFor();
    await page.goto(`/flows/${id}`);
    await page.getByRole('group', { name: 'Calculator' }).waitFor();
    expect(await page.getByLabel('Instructions').getAttribute('readonly')).not.toBe(null);
    expect(await page.getByRole('button', { name: /Save to Live|Remove Calculator/ }).count()).toBe(0);
    await close();
  });

  it('is copied, and deleted with its flow', async () => {
    const { page, close } = await signedIn('/?kind=ASSISTANT');
    await page.getByRole('button', { name: 'Actions for Seen' }).click();
    expect(await page.getByRole('menuitem', { name: 'Rename' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('group', { name: 'Calculator' }).waitFor();
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    const { name } = await read(id);
    await page.goto('/assistants');
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await axe(page);
    await page.getByRole('button', { name: 'Delete assistant' }).click();
    await page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' });
    const left = await service.call<{ id: string }[]>('GET', '/chatflows');
    expect(left.some((flow) => flow.id === id)).toBe(false);
    await close();
  });

  it('is readable at every width in both themes', async () => {
    const store = await fillStore('Wide book');
    const { id } = await make(
      saying('Wide', 'one', {
        instruction: 'You answer questions about parcels. Be brief and friendly.',
        tools: [{ name: 'calculator' }, { name: 'webScraperTool' }],
        documentStores: [
          {
            id: store,
            name: 'Wide book',
            description: 'When parcels leave',
            returnSourceDocuments: true,
          },
        ],
      }),
    );
    for (const look of LOOKS) {
      const { page, close } = await signedIn('/assistants', look);
      const seen = `${look.width}-${look.scheme}`;
      await page.getByRole('row', { name: /Wide/ }).waitFor();
      expect(await overflows(page), seen).toBe(false);
      await shot(page, `assistants-${seen}`);
      await page.goto(`/flows/${id}`);
      await page.getByRole('group', { name: 'Calculator' }).waitFor();
      await page.getByText('additional settings').first().waitFor();
      expect(await overflows(page), seen).toBe(false);
      await shot(page, `assistants-form-${seen}`);
      await page.getByRole('group', { name: 'Calculator' }).scrollIntoViewIfNeeded();
      await shot(page, `assistants-form2-${seen}`);
      await close();
    }
  }, 120_000);
});
