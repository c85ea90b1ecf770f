import type { Json, PickedCard } from '../../../core/nodes';
import { MODEL, type Recipe, type RecipeCard } from '../../../core/recipe';
import { tidy, type Size } from './arrange';
import { pickedConfig } from './definition';
import {
  emptyDoc,
  isStep,
  nodeIn,
  objects,
  text,
  withNode,
  withData,
  writeDoc,
  type Definition,
  type Doc,
} from './doc';
import { addCard, chooseOutput, endOf, setCredential, setInput } from './edit';
import { fittingPlace, judge, type End } from './rules';
import { connect } from './wires';

/** A recipe that cannot be drawn here, and what is in the way. */
export class RecipeFault extends Error {}

const CARD: Size = { width: 240, height: 150 };
const STEP: Size = { width: 200, height: 70 };

/** Draws a recipe with the cards as they are, around the chosen model. */
export async function drawRecipe(
  recipe: Recipe,
  cards: readonly Definition[],
  model: PickedCard,
): Promise<string> {
  const known = new Map(cards.map((card) => [card.name, card]));
  const ids = new Map<string, string>();
  let doc = emptyDoc();
  for (const one of recipe.cards) {
    const definition = known.get(one.card === MODEL ? model.name : one.card);
    if (!definition) throw new RecipeFault(one.card === MODEL ? model.name : one.card);
    const added = addCard(doc, definition, { x: 40, y: 80 }, one.inside && ids.get(one.inside));
    ids.set(one.id, added.id);
    doc = settled(added.doc, added.id, one, definition, known, model);
  }
  for (const one of recipe.cards)
    for (const [other, place] of one.to ?? []) {
      const [from, to] = [ids.get(one.id), ids.get(other)];
      const next = from && to ? joined(doc, from, to, place, known) : null;
      if (!next) throw new RecipeFault(`${one.id} – ${other}`);
      doc = next;
    }
  const sizes = new Map(doc.nodes.map((node) => [node.id, isStep(node) ? STEP : CARD]));
  return writeDoc(await tidy(doc, sizes));
}

function settled(
  doc: Doc,
  id: string,
  one: RecipeCard,
  definition: Definition,
  known: ReadonlyMap<string, Definition>,
  model: PickedCard,
): Doc {
  let next = doc;
  if (one.card === MODEL) {
    for (const [name, value] of Object.entries(model.config))
      next = name === 'credential' ? setCredential(next, id, text(value)) : setInput(next, id, name, value);
  }
  for (const [name, value] of Object.entries(one.inputs ?? {})) {
    const param = definition.inputs.find((input) => input.name === name);
    if (value === MODEL && param) {
      const credential = text(model.config.credential);
      const config: Json = {
        ...pickedConfig(param, known.get(model.name), null),
        ...model.config,
        ...(credential ? { FLOWISE_CREDENTIAL_ID: credential } : {}),
      };
      next = setInput(next, id, name, model.name, definition);
      next = setInput(next, id, `${name}Config`, config, definition);
    } else next = setInput(next, id, name, value, definition);
  }
  const label = one.label;
  return label ? withNode(next, id, (node) => withData(node, { label })) : next;
}

/** Connects two cards; null where they do not fit. */
function joined(
  doc: Doc,
  source: string,
  target: string,
  place: string | number,
  known: ReadonlyMap<string, Definition>,
): Doc | null {
  const [giver, taker] = [nodeIn(doc, source), nodeIn(doc, target)];
  if (!giver || !taker) return null;
  if (isStep(giver)) {
    const output = objects(giver.data.outputAnchors)[Number(place)];
    const from: End = { node: source, handle: text(output?.id), side: 'source' };
    const verdict = output && judge(doc, from, { node: target, handle: target, side: 'target' });
    return verdict?.ok ? connect(doc, verdict.wire) : null;
  }
  const to = endOf(taker, String(place), 'target');
  const definition = known.get(text(giver.data.name));
  const output = to && definition && fittingPlace(doc, to, definition);
  if (!to || !output) return null;
  const chosen = chooseOutput(doc, source, output);
  const node = nodeIn(chosen, source);
  const from = node && endOf(node, output, 'source');
  const verdict = from && judge(chosen, from, to);
  return verdict?.ok ? connect(chosen, verdict.wire) : null;
}
