import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/nodes';
import { pasteNodes } from './clipboard';
import { emptyDoc, isStep, nameOf, readDoc, writeDoc } from './doc';
import { moveNodes } from './edit';
import { lostWires } from './lost';
import { differences } from './samples';

const folder = process.env.FLOWKEEP_TEMPLATES ?? '';
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  : [];

describe.skipIf(files.length === 0)('published canvases that are pasted', () => {
  it.each(files)('%s: every card and connection arrives, under ids of its own', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const from = readDoc(text);
    if (!from) throw new Error('This is no canvas.');
    const kind = from.nodes.some(isStep) ? 'steps' : 'cards';
    const options = { at: { x: 0, y: 0 }, kind, credentials: null } as const;
    const once = pasteNodes(emptyDoc(), text, options);
    if (!once.ok) throw new Error(once.problem);
    expect(once.doc.nodes).toHaveLength(from.nodes.length);
    expect(once.doc.edges).toHaveLength(from.edges.length);
    const twice = pasteNodes(once.doc, JSON.stringify({ name, flowData: text }), options);
    if (!twice.ok) throw new Error(twice.problem);
    // A flow has one Start.
    const starts = from.nodes.filter((node) => nameOf(node) === 'startAgentflow').length;
    expect(twice.doc.nodes).toHaveLength(2 * from.nodes.length - starts);
    expect(new Set(twice.doc.nodes.map((node) => node.id)).size).toBe(twice.doc.nodes.length);
    const parts = new Set(twice.doc.nodes.map((node) => node.id));
    expect(twice.doc.edges.every((edge) => parts.has(edge.source) && parts.has(edge.target))).toBe(true);
  });
});

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

describe.skipIf(files.length === 0)('published canvases that are whole', () => {
  it.each(files)('%s: no connection is told to be lost', (name) => {
    const doc = readDoc(readFileSync(join(folder, name), 'utf8'));
    expect(doc && lostWires(doc)).toEqual([]);
  });
});
