import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type Json } from '../../../core/nodes';
import { readDoc, writeDoc } from './doc';
import { moveNodes } from './edit';

const folder = process.env.FLOWKEEP_TEMPLATES ?? '';
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  : [];

/** Every place where two values differ, as a path. */
function differences(before: unknown, after: unknown, path = ''): string[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((one, at) => differences(one, after[at], `${path}/${at}`));
  if (!isObject(before) || !isObject(after)) return [path];
  const [old, now] = [Object.keys(before), Object.keys(after)];
  if (old.join() !== now.join()) return [`${path} has other keys, or in another order`];
  return old.flatMap((name) => differences(before[name], after[name], `${path}/${name}`));
}

describe.skipIf(files.length === 0)('published canvases, of the folder FLOWKEEP_TEMPLATES', () => {
  it.each(files)('%s: moving a card changes where it lies and nothing else', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const doc = readDoc(text);
    if (!doc) throw new Error('This is no canvas.');
    expect(writeDoc(doc)).toBe(text);
    const node = doc.nodes.at(-1);
    if (!node) throw new Error('The canvas is empty.');
    const to = { x: node.position.x + 40, y: node.position.y - 20 };
    const moved = JSON.parse(writeDoc(moveNodes(doc, new Map([[node.id, to]])))) as Json;
    const place = `/nodes/${doc.nodes.length - 1}`;
    const allowed = ['position', 'positionAbsolute'].flatMap((key) =>
      ['x', 'y'].map((axis) => `${place}/${key}/${axis}`),
    );
    const found = differences(JSON.parse(text), moved);
    expect(found.filter((one) => !allowed.includes(one))).toEqual([]);
    expect(found).toContain(`${place}/position/x`);
  });
});
