/** Draws a canvas on the page as a person does: chooses cards, fills in their fields, connects their ends. */
import type { Locator, Page } from 'playwright-core';
import {
  isNoteCard,
  isValue,
  newNode,
  newRow,
  pickedConfig,
} from '../src/features/canvas/document/definition';
import { rowsOf, type Definition, type Param } from '../src/features/canvas/document/doc';
import { plainOf } from '../src/features/canvas/document/richtext';
import { isShown } from '../src/features/canvas/document/shown';
import { asChoices, asText, configName } from '../src/features/canvas/panel/values';
import type { Json } from '../src/core/nodes';

const exactly = (text: string): RegExp => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);

export class Hands {
  readonly #page: Page;
  readonly #cards: ReadonlyMap<string, Definition>;

  constructor(page: Page, cards: readonly Definition[]) {
    page.setDefaultTimeout(10_000);
    this.#page = page;
    this.#cards = new Map(cards.map((card) => [card.name, card]));
  }

  card(name: string): Definition {
    const found = this.#cards.get(name);
    if (!found) throw new Error(`The service has no card ${name}.`);
    return found;
  }

  get panel(): Locator {
    return this.#page.getByRole('complementary', { name: 'Node' });
  }

  /** Puts a card on the canvas, inside of a box when one is named; gives its id. */
  async put(name: string, box?: string): Promise<string> {
    const { label } = this.card(name);
    if (box === undefined) {
      const dock = this.#page.getByRole('complementary', { name: 'Cards' });
      await dock.getByRole('searchbox').fill(label);
      await dock.locator(`[data-card="${name}"]`).first().click();
    } else {
      await this.choose(box);
      await this.panel.getByRole('button', { name: 'More for this card' }).click();
      await this.#page.getByRole('menuitem', { name: 'Add a card inside' }).click();
      const list = this.#page.getByRole('dialog', { name: 'Cards that fit inside' });
      await list.getByRole('searchbox').fill(label);
      await list.locator(`[data-card="${name}"]`).first().click();
    }
    await this.panel.getByText(new RegExp(`^${name}_\\d+$`)).waitFor();
    return (await this.panel.locator('code').last().textContent()) ?? '';
  }

  /** Opens the panel of a node. */
  async choose(id: string): Promise<void> {
    await this.node(id).focus();
    await this.#page.keyboard.press('Enter');
    await this.panel.getByText(id, { exact: true }).waitFor();
  }

  node(id: string): Locator {
    return this.#page.locator(`[data-node="${id}"]`);
  }

  async rename(label: string): Promise<void> {
    await this.panel.getByLabel('Name of the card').fill(label);
  }

  /** Chooses which of several outputs the card gives. */
  async output(name: string): Promise<void> {
    const field = this.panel.getByRole('combobox', { name: 'Output' });
    if ((await field.count()) === 0) return;
    await field.click();
    await this.#page
      .getByRole('option', { name: exactly(name) })
      .first()
      .click();
  }

  /** Sets every input of a new card that is wanted otherwise than the card begins with. */
  async fill(name: string, wanted: Json): Promise<void> {
    const card = this.card(name);
    const begins = newNode(`${name}_0`, card, { x: 0, y: 0 }).data.inputs as Json;
    if (isNoteCard(card) || card.inputs.length > 0) await this.#unfold(this.panel);
    await this.#fields(this.panel, card.inputs, begins, wanted, null);
  }

  /** Sets these inputs, whatever they hold now. */
  async refill(name: string, wanted: Json): Promise<void> {
    const card = this.card(name);
    const params = card.inputs.filter((param) => param.name in wanted);
    await this.#unfold(this.panel);
    await this.#fields(this.panel, params, {}, wanted, null);
  }

  async #unfold(where: Locator): Promise<void> {
    const folded = where.locator('details:not([open]) > summary');
    while ((await folded.count()) > 0) await folded.first().click();
  }

  async #fields(
    where: Locator,
    params: readonly Param[],
    begins: Json,
    wanted: Json,
    rows: { list: string; all: Json[]; at: number; around: Json } | null,
  ): Promise<void> {
    const now = { ...begins };
    for (const param of params) {
      const around = rows
        ? { ...rows.around, [rows.list]: rows.all.map((row, at) => (at === rows.at ? now : row)) }
        : now;
      if (!isValue(param) || param.type === 'credential' || !isShown(param, around, rows?.at ?? null))
        continue;
      const field = where.locator(`[data-param="${param.name}"]`).first();
      if (param.type === 'array') {
        await this.#rows(field, param, rowsOf(now[param.name]), rowsOf(wanted[param.name]), now);
        now[param.name] = wanted[param.name];
        continue;
      }
      const config = configName(param);
      const picked = param.loadConfig ? this.#cards.get(asText(wanted[param.name])) : undefined;
      if (!same(param, now[param.name], wanted[param.name]) && param.name in wanted) {
        await this.#set(field, param, wanted[param.name]);
        now[param.name] = wanted[param.name];
        if (picked) now[config] = pickedConfig(param, picked, now[config]);
      }
      if (picked) {
        await this.#unfold(field);
        const inner = field.getByRole('group', { name: `Settings of ${picked.label}` });
        await this.#fields(inner, picked.inputs, now[config] as Json, (wanted[config] ?? {}) as Json, null);
      }
    }
  }

  async #rows(field: Locator, param: Param, now: Json[], wanted: Json[], around: Json): Promise<void> {
    for (let at = now.length; at > wanted.length; at -= 1)
      await field.getByRole('button', { name: `Remove row ${at}` }).click();
    for (let at = now.length; at < wanted.length; at += 1)
      await field.getByRole('button', { name: `Add to ${param.label}` }).click();
    const all = wanted.map((_, at) => now[at] ?? newRow(param.array ?? []));
    for (const [at, row] of wanted.entries()) {
      const entry = field.getByRole('group', { name: `Row ${at + 1}` }).first();
      await this.#unfold(entry);
      await this.#fields(entry, param.array ?? [], all[at] ?? {}, row, { list: param.name, all, at, around });
    }
  }

  async #set(field: Locator, param: Param, value: unknown): Promise<void> {
    const page = this.#page;
    switch (param.type) {
      case 'boolean':
        return field.getByRole('switch').click();
      case 'options': {
        const label = param.options?.find((one) => one.name === value)?.label ?? asText(value);
        await field.getByRole('combobox').first().click();
        return page
          .getByRole('option', { name: exactly(label || 'Not set') })
          .first()
          .click();
      }
      case 'multiOptions':
        for (const one of asChoices(value)) {
          const label = param.options?.find((option) => option.name === one)?.label ?? one;
          await field.getByRole('checkbox', { name: label, exact: true }).click();
        }
        return;
      case 'asyncOptions':
      case 'asyncMultiOptions': {
        await field.getByRole('combobox').first().click();
        const wanted = asText(value);
        await page.getByRole('combobox', { name: 'Search', exact: true }).fill(wanted);
        return page.locator(`[cmdk-item][data-value="${wanted}"]`).first().click();
      }
      case 'code':
      case 'json':
        return field.locator('.cm-content').fill(asText(value));
      default: {
        const input = field.locator('textarea, input').first();
        await input.fill(plainOf(asText(value)) ?? asText(value));
        // A list of names that the text could go on with lies over what comes next.
        if (await field.getByRole('listbox').count()) await input.press('Escape');
      }
    }
  }

  /** Puts another card in the place of a node, and opens its panel. */
  async replace(id: string, name: string): Promise<void> {
    await this.choose(id);
    await this.panel.getByRole('button', { name: 'More for this card' }).click();
    await this.#page.getByRole('menuitem', { name: 'Replace' }).click();
    const list = this.#page.getByRole('dialog', { name: 'Replace by' });
    await list.getByRole('searchbox').fill(this.card(name).label);
    await list.locator(`[data-card="${name}"]`).first().click();
    await this.panel.getByText(new RegExp(`^${name}_\\d+$`)).waitFor();
  }

  /** Connects two ends by a click on each. */
  async connect(from: string, output: string, to: string, input: string): Promise<void> {
    await this.#page.keyboard.press('Escape');
    const handle = (node: string, id: string): Locator =>
      this.#page.locator(`.react-flow__handle[data-nodeid="${node}"][data-handleid="${id}"]`);
    await handle(from, output).click();
    await handle(to, input).click();
  }

  /** Sees all of the canvas, with nothing chosen. */
  async lookAtAll(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.#page.keyboard.press('Escape');
    await this.#page.getByRole('button', { name: 'Fit to view' }).first().click();
  }
}

/** Whether two values of an input mean the same. */
export function same(param: Param, a: unknown, b: unknown): boolean {
  if (param.type === 'boolean') return (a === true || a === 'true') === (b === true || b === 'true');
  const plain = (value: unknown): string => (plainOf(asText(value)) ?? asText(value)).trim();
  return plain(a) === plain(b);
}
