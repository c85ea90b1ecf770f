import type { Card } from '../../api/cards';
import type { FlowType } from '../../api/models';
import type { Starter, Template, TemplateKind } from '../../api/templates';
import { parseFlow } from '../../core/flowdata';
import { cardName, isNote, nodeLabel } from '../../core/nodes';
import { MODEL } from '../../core/recipe';
import { starters as recipes, type RecipeStarter, type Use } from './starters';
import { t } from './words';

/** A template as the gallery shows it. */
export interface Entry {
  id: string;
  name: string;
  description: string;
  /** Null for those of the workspace. */
  use: Use | null;
  type: FlowType;
  /** It is drawn around a model that the person chooses. */
  recipe?: RecipeStarter;
  /** It is drawn already. */
  flowData?: string;
  /** Where somebody kept it. */
  kept?: Kept;
}

export interface Kept {
  workspaceId: string;
  /** Every workspace may use it. */
  shared: boolean;
  /** What it is for, in words of those who kept it. */
  uses: readonly string[];
}

const types: Record<Exclude<TemplateKind, 'Tool'>, FlowType> = {
  Chatflow: 'CHATFLOW',
  AgentflowV2: 'AGENTFLOW',
  Agentflow: 'MULTIAGENT',
};

/** What the flows that the service brings are for; it says that in words of its own. */
const uses: Record<string, Use> = {
  'starter-welcome': 'support',
  'starter-handbook': 'documents',
  'starter-documents': 'documents',
  'starter-tools': 'agents',
  'starter-rewrite': 'text',
  'starter-sorting': 'data',
};

export const entryOfRecipe = (recipe: RecipeStarter): Entry => ({
  id: recipe.id,
  name: t(`templates.name.${recipe.id}`),
  description: t(`templates.about.${recipe.id}`),
  use: recipe.use,
  type: recipe.type,
  recipe,
});

/** Categories of cards that tell a kind of flow for which a template has no word of its own. */
const telling = new Map<string, FlowType>([
  ['Harness', 'HARNESS'],
  ['ETL', 'ETL'],
]);

/** The kind of flow that a template becomes: a team or a pipeline is told by its cards alone. */
export function typeOf(entry: Entry, cards: ReadonlyMap<string, Pick<Card, 'category'>>): FlowType {
  const read = parseFlow(entry.type === 'CHATFLOW' ? (entry.flowData ?? '') : '');
  if (!read.ok) return entry.type;
  const kinds = read.flow.nodes.map((node) => telling.get(cards.get(cardName(node))?.category ?? ''));
  return kinds.find((kind) => kind !== undefined) ?? entry.type;
}

const drawn = (one: Starter | Template, use: Use | null): Entry[] =>
  one.type === 'Tool'
    ? []
    : [
        {
          id: one.id,
          name: one.templateName,
          description: one.description,
          use,
          type: types[one.type],
          flowData: one.flowData,
        },
      ];

/** All there is to begin with, but for what the workspace keeps. */
export const gallery = (brought: readonly Starter[]): Entry[] => [
  ...recipes.map(entryOfRecipe),
  ...brought.flatMap((one) => drawn(one, uses[one.id] ?? 'support')),
];

/** Those of the workspace, and those of others that are shared with it. */
export const ownEntries = (own: readonly Template[]): Entry[] =>
  own.flatMap((one) =>
    drawn(one, null).map((entry) => ({
      ...entry,
      kept: { workspaceId: one.workspaceId, shared: one.shared, uses: one.usecases },
    })),
  );

/** The cards of a template that this server does not have, by the names they have there. */
export function missingCards(
  { recipe, flowData }: Pick<Entry, 'recipe' | 'flowData'>,
  cards: { has: (name: string) => boolean },
): string[] {
  if (recipe) {
    const gone = recipe.cards.filter(({ card }) => card !== MODEL && !cards.has(card));
    return [...new Set(gone.map(({ label, card }) => label ?? card))];
  }
  const read = parseFlow(flowData ?? '');
  if (!read.ok) return [];
  const gone = read.flow.nodes.filter((node) => !isNote(node) && !cards.has(cardName(node)));
  return [...new Set(gone.map(nodeLabel))];
}

/** Whether a recipe finds a model that answers: a built-in one that it is made for, or one whose credential is here. */
export const findsModel = (
  recipe: Pick<RecipeStarter, 'alone' | 'builtIn'>,
  models: readonly Pick<Card, 'credential'>[],
  kinds: ReadonlySet<string>,
): boolean => Boolean(recipe.alone ?? recipe.builtIn) || models.some((model) => hasCredential(model, kinds));

const hasCredential = ({ credential }: Pick<Card, 'credential'>, kinds: ReadonlySet<string>): boolean =>
  (credential?.credentialNames ?? []).some((kind) => kinds.has(kind));

/** The cards that a recipe can be drawn around. */
export const modelsOf = <Some extends Pick<Card, 'category' | 'name'>>(cards: readonly Some[]): Some[] =>
  cards.filter(({ category, name }) => category === 'Chat Models' && !/LlamaIndex/.test(name));

/** The cards of a canvas that need a credential of a kind that nobody has here, by their names. */
export function lackingCredentials(
  flowData: string,
  cards: ReadonlyMap<string, Pick<Card, 'label' | 'credential'>>,
  kinds: ReadonlySet<string>,
): string[] {
  const read = parseFlow(flowData);
  if (!read.ok) return [];
  const lacking = read.flow.nodes.flatMap((node) => {
    const card = cards.get(cardName(node));
    const wanted = card?.credential;
    if (!card || !wanted || wanted.optional) return [];
    const fit = (wanted.credentialNames ?? []).some((kind) => kinds.has(kind));
    return fit ? [] : [card.label];
  });
  return [...new Set(lacking)];
}

/** The chat model that is offered first: one that can answer with what is here. */
export function firstModel(
  recipe: RecipeStarter,
  models: readonly Pick<Card, 'name' | 'credential'>[],
  kinds: ReadonlySet<string>,
): string {
  const ready = models.find((model) => hasCredential(model, kinds));
  return ready?.name ?? recipe.builtIn ?? 'chatScripted';
}

/** What there is here for templates to answer with. */
export interface Here {
  /** By name; empty while it is not known which there are, and nothing is missing then. */
  cards: ReadonlyMap<string, Card>;
  /** The kinds of credentials. */
  kinds: ReadonlySet<string>;
  models: readonly Card[];
}

/** How a template fits what there is here. */
export interface Fit {
  type: FlowType;
  /** Its cards whose credential is not there. */
  lacks: string[];
  /** Its cards that this server does not have. */
  misses: string[];
  /** No model that is here can answer for it. */
  wantsModel: boolean;
  /** It answers as it is. */
  ready: boolean;
}

export function fitOf(entry: Entry, { cards, kinds, models }: Here): Fit {
  const { recipe, flowData } = entry;
  const lacks = flowData ? lackingCredentials(flowData, cards, kinds) : [];
  const misses = cards.size > 0 ? missingCards(entry, cards) : [];
  const wantsModel = recipe !== undefined && !findsModel(recipe, models, kinds);
  const ready = lacks.length === 0 && misses.length === 0 && !recipe?.needs && !wantsModel;
  return { type: typeOf(entry, cards), lacks, misses, wantsModel, ready };
}
