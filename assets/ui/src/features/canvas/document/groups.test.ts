import { describe, expect, it } from 'vitest';
import { emptyDoc, nodeIn, readDoc, writeDoc, type Definition, type Doc } from './doc';
import { copyNodes, pasteNodes } from './clipboard';
import { addCard, remove } from './edit';
import {
  groupOf,
  isGroup,
  leaveGroups,
  makeGroup,
  membersOf,
  nameGroup,
  ungroup,
  withMembers,
} from './groups';
import { cards } from './samples';

const card = (name: string): Definition => {
  const found = Object.values(cards).find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};
const note = { ...card('llmAgentflow'), name: 'stickyNoteAgentflow', label: 'Sticky Note', inputs: [] };

function three(): { doc: Doc; ids: string[] } {
  let doc = emptyDoc();
  const ids: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    const added = addCard(doc, card('llmAgentflow'), { x: at * 300, y: 0 });
    doc = added.doc;
    ids.push(added.id);
  }
  return { doc, ids };
}

function grouped(doc: Doc, ids: string[], name = 'Billing'): { doc: Doc; id: string } {
  const made = makeGroup(doc, new Set(ids), note, name, { x: 0, y: -40 });
  if (!made) throw new Error('no group');
  return made;
}

const members = (doc: Doc, id: string): string[] => {
  const node = nodeIn(doc, id);
  return node ? membersOf(doc, node).map((one) => one.id) : [];
};

describe('groups of cards', () => {
  it('survive being stored, as a note that says their name', () => {
    const { doc, ids } = three();
    const { doc: made, id } = grouped(doc, ids.slice(0, 2));
    const read = readDoc(writeDoc(made)) as Doc;
    const node = nodeIn(read, id);
    expect(node?.type).toBe('stickyNote');
    expect(node?.data.inputs).toMatchObject({ note: 'Billing' });
    expect(node && isGroup(node)).toBe(true);
    expect(members(read, id)).toEqual(ids.slice(0, 2));
  });

  it('hold a card once', () => {
    const { doc, ids } = three();
    const first = grouped(doc, ids.slice(0, 2));
    const second = grouped(first.doc, ids.slice(1));
    expect(members(second.doc, first.id)).toEqual(ids.slice(0, 1));
    expect(groupOf(second.doc, ids[1] ?? '')?.id).toBe(second.id);
  });

  it('are chosen, named and taken away as one, and their cards stay', () => {
    const { doc, ids } = three();
    const { doc: made, id } = grouped(doc, ids);
    expect(withMembers(made, [id])).toEqual([...ids, id]);
    expect(nodeIn(nameGroup(made, id, 'Refunds'), id)?.data.label).toBe('Refunds');
    expect(ungroup(made, new Set([id])).nodes.map((one) => one.id)).toEqual(ids);
  });

  it('go with the last of their cards', () => {
    const { doc, ids } = three();
    const { doc: made, id } = grouped(doc, ids.slice(0, 2));
    expect(nodeIn(leaveGroups(made, new Set(ids)), id)).toBeUndefined();
    expect(members(remove(made, new Set(ids.slice(0, 1))), id)).toEqual(ids.slice(1, 2));
    expect(nodeIn(remove(made, new Set(ids.slice(0, 2))), id)).toBeUndefined();
  });

  it('are copied with their cards', () => {
    const { doc, ids } = three();
    const { doc: made, id } = grouped(doc, ids.slice(0, 2));
    const text = copyNodes(made, new Set(withMembers(made, [id])));
    const pasted = pasteNodes(made, text, { at: { x: 0, y: 500 }, kind: 'steps', credentials: null });
    if (!pasted.ok) throw new Error(pasted.problem);
    const copy = pasted.doc.nodes.find((one) => isGroup(one) && one.id !== id);
    expect(members(pasted.doc, copy?.id ?? '')).toEqual(['llmAgentflow_3', 'llmAgentflow_4']);
    expect(members(pasted.doc, id)).toEqual(ids.slice(0, 2));
  });
});
