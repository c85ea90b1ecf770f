/** What an assistant is made of: JSON text in the record, fields in the form. */
import { isObject, type Json, type PickedCard } from '../../core/nodes';

export interface Tool extends PickedCard {
  /** Tells it from others of the same card while it is edited. */
  key: number;
}

export interface SearchedStore {
  id: string;
  name: string;
  /** Tells the model when to search it. */
  description: string;
  returnSourceDocuments: boolean;
}

export interface Details {
  name: string;
  instruction: string;
  /** Without a name: nobody chose one yet. */
  model: PickedCard;
  tools: Tool[];
  stores: SearchedStore[];
  /** What else a client keeps there, as it is stored. */
  others: Json;
}

const noModel: PickedCard = { name: '', config: {} };

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

const cardOf = ({ name, inputs, credential }: Json): PickedCard => ({
  name: text(name),
  config: { ...(isObject(inputs) ? inputs : {}), credential: text(credential) },
});

function parse(stored: string): Json {
  try {
    const read: unknown = JSON.parse(stored);
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

/** Reads the text; what is none of it is left out. */
export function readDetails(stored: string): Details {
  const { name, instruction, chatModel, documentStores, tools, ...others } = parse(stored);
  const model = isObject(chatModel) ? cardOf(chatModel) : noModel;
  return {
    name: text(name),
    instruction: text(instruction),
    model: model.name ? model : noModel,
    tools: list(tools).map((tool, key) => ({ ...cardOf(tool), key })),
    stores: list(documentStores).map((store) => ({
      id: text(store.id),
      name: text(store.name),
      description: text(store.description),
      returnSourceDocuments: store.returnSourceDocuments === true,
    })),
    others,
  };
}

/** A card as the service takes it: its credential beside its inputs. */
export function toCard({ name, config: { credential, ...inputs } }: PickedCard) {
  return { name, inputs, credential: text(credential) || null };
}

export function writeDetails({ name, instruction, model, tools, stores, others }: Details): string {
  return JSON.stringify({
    ...others,
    name: name.trim(),
    instruction,
    ...(model.name ? { chatModel: toCard(model) } : {}),
    tools: tools.map(toCard),
    documentStores: stores,
  });
}

export const nextTool = (name: string, tools: readonly Tool[]): Tool => ({
  name,
  config: {},
  key: Math.max(-1, ...tools.map(({ key }) => key)) + 1,
});
