import { NAME_CHARS_MAX } from '../../../core/teamname';
import { nodeIn, type Definition, type Doc } from './doc';
import { addCard, addConnected, endOf, setInput } from './edit';

/** A name that a harness can be asked by: small letters, digits and dashes, a dash never first. */
export function harnessName(flow: string): string {
  const plain = flow
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();
  const name = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, '');
  return name.slice(0, NAME_CHARS_MAX).replace(/-+$/, '') || 'team';
}

/** Puts a team of one specialist on an empty canvas, with names that can be saved. Who answers is for the person to choose. */
export function beginTeam(doc: Doc, cards: readonly Definition[], flow: string): Doc | null {
  const card = (name: string): Definition | undefined => cards.find((one) => one.name === name);
  const [team, specialist] = [card('harnessTeam'), card('harnessSpecialist')];
  if (!team || !specialist) return null;
  const first = addCard(doc, team, { x: 400, y: 100 });
  const node = nodeIn(first.doc, first.id);
  const place = node && endOf(node, 'specialists', 'target');
  const both = place && addConnected(first.doc, place, specialist, { x: 40, y: 100 });
  if (!both) return null;
  const named = setInput(both.doc, first.id, 'harnessName', harnessName(flow));
  return setInput(named, both.id, 'specialistName', 'specialist-1');
}
