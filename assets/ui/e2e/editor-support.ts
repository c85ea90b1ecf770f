/** What tests of the editor do with a canvas that is drawn on, and with the draft it is saved into. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Made } from './flow-support';
import type { Service } from './harness';

export interface StoredNode {
  id: string;
  type: string;
  position: { x: number; y: number };
  data: { label: string; name: string; inputs: Record<string, unknown> } & Record<string, unknown>;
}

export interface StoredEdge {
  source: string;
  target: string;
  sourceHandle: string;
  targetHandle: string;
}

export interface Stored {
  nodes: StoredNode[];
  edges: StoredEdge[];
}

export interface Drafts {
  make: (name: string, type: string, flowData?: string) => Promise<string>;
  /** The canvas of the draft; an empty one where there is none. */
  read: (id: string) => Promise<Stored>;
  /** The names of its cards, in order. */
  names: (id: string) => Promise<string[]>;
  place: (id: string, name: string) => Promise<{ x: number; y: number } | undefined>;
}

/** The drafts of a service, through its API. */
export function draftsOf(service: Service): Drafts {
  const read = async (id: string): Promise<Stored> => {
    const { draft } = await service.call<{ draft: { flowData: string } | null }>('GET', `/flow-drafts/${id}`);
    return JSON.parse(draft?.flowData ?? '{"nodes":[],"edges":[]}') as Stored;
  };
  return {
    read,
    make: async (name, type, flowData) =>
      (await service.call<Made>('POST', '/chatflows', { name, type, ...(flowData ? { flowData } : {}) })).id,
    names: async (id) => (await read(id)).nodes.map((one) => one.data.name),
    place: async (id, name) => (await read(id)).nodes.find((one) => one.data.name === name)?.position,
  };
}

/** A card on the canvas, by its words. */
export const node = (page: Page, name: RegExp): Locator =>
  page.locator('[data-node]').filter({ hasText: name });

export const panel = (page: Page): Locator => page.getByRole('complementary', { name: 'Node' });
export const dock = (page: Page): Locator => page.getByRole('complementary', { name: 'Cards' });

export const saved = (page: Page): Promise<void> => page.getByText('Saved', { exact: true }).waitFor();

/** Clicks a place of the canvas that nothing covers, so that it hears keys. */
export const enterCanvas = (page: Page): Promise<void> =>
  page.locator('.react-flow__pane').click({ position: { x: 420, y: 620 } });

/** Chooses every card; the canvas hears keys afterwards. */
export async function chooseAll(page: Page, count: number): Promise<void> {
  await page.locator('[data-node]').first().focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.getByText(`${count} cards chosen`).first().waitFor();
}

/** Does something that is saved, and takes it back: the draft is then what it was. */
export async function undone(
  page: Page,
  text: () => Promise<string>,
  work: () => Promise<void>,
): Promise<void> {
  await saved(page);
  const before = await text();
  await work();
  await expect.poll(text).not.toBe(before);
  const done = await text();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(text).toBe(before);
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect.poll(text).toBe(done);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(text).toBe(before);
}
