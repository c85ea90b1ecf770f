import type { FlowNode, Point } from '../../../core/flowdata';
import { isObject, type Json } from '../../../core/nodes';
import { cardOutputs, colourOf, givesNothing, rowOutputs, stepOutputs, takesNothing } from './anchors';
import type { Definition, Param } from './doc';

/** Types of inputs that hold a value; every other type is a place for a connection. */
const VALUES = new Set(
  (
    'asyncOptions asyncMultiOptions options multiOptions array datagrid string number boolean password json code ' +
    'date file folder tabs conditionFunction timePicker weekDaysPicker monthDaysPicker datePicker credential'
  ).split(' '),
);

export const isValue = (param: Pick<Param, 'type'>): boolean => VALUES.has(param.type);

export const STEPS = 'Agent Flows';
export const isStepCard = (card: Pick<Definition, 'category'>): boolean => card.category === STEPS;
export const isNoteCard = (card: Pick<Definition, 'name'>): boolean => /^stickyNote/.test(card.name);

/** How big a box for steps is at first. */
export const BOX = { width: 460, height: 260 };

/** What an input holds on a card that was just put down. */
export function defaultOf(param: Param): unknown {
  return param.default ?? '';
}

/** The settings of a card that was picked just now. */
export function pickedConfig(
  param: Pick<Param, 'name'>,
  card: Definition | undefined,
  before: unknown,
): Json {
  const config: Json = {};
  for (const input of card?.inputs ?? [])
    if (isValue(input) && !(input.name in config)) config[input.name] = defaultOf(input);
  // Going back to the card that was picked before keeps what it was set to.
  const kept = isObject(before) && before[param.name] === card?.name ? before : {};
  return { ...config, ...kept, [param.name]: card?.name ?? '' };
}

/** A new row of an input that is a list. */
export function newRow(fields: readonly Param[]): Json {
  const row: Json = {};
  for (const field of fields) if (!(field.name in row)) row[field.name] = defaultOf(field);
  return row;
}

function defaultsOf(definition: Definition): Json {
  const inputs: Json = {};
  for (const param of definition.inputs) {
    if (!(param.name in inputs)) inputs[param.name] = defaultOf(param);
    const rows = rowOutputs(definition.name);
    if (rows?.input === param.name && !Array.isArray(inputs[param.name]))
      inputs[param.name] = Array.from({ length: rows.first }, () => newRow(param.array ?? []));
  }
  return inputs;
}

/** The parts of a node that describe its card. */
export function describe(id: string, definition: Definition, inputs: Json): Json {
  const { name, label, version, type, category, description, baseClasses } = definition;
  const withId = (param: Param): Json => ({ ...param, id: `${id}-input-${param.name}-${param.type}` });
  const step = isStepCard(definition);
  const colour = colourOf(name);
  const params = [...(definition.credential ? [definition.credential] : []), ...definition.inputs];
  return {
    id,
    label,
    version,
    name,
    type,
    ...(colour ? { color: colour } : {}),
    ...(step && takesNothing(name) ? { hideInput: true } : {}),
    ...(step && givesNothing(name) ? { hideOutput: true } : {}),
    baseClasses,
    category,
    description,
    inputParams: params.filter(isValue).map(withId),
    inputAnchors: step ? [] : params.filter((param) => !isValue(param)).map(withId),
    outputAnchors: step ? stepOutputs(id, name, label, inputs) : cardOutputs(id, definition),
  };
}

/** A node of a card with what the card says for a start. */
export function newNode(id: string, definition: Definition, position: Point): FlowNode {
  const inputs = defaultsOf(definition);
  const step = isStepCard(definition);
  const numbered = step && definition.name !== 'startAgentflow' && !isNoteCard(definition);
  const box = definition.name === 'iterationAgentflow';
  const data = describe(id, definition, inputs);
  return {
    id,
    position,
    type: isNoteCard(definition) ? 'stickyNote' : box ? 'iteration' : step ? 'agentFlow' : 'customNode',
    ...(box ? { style: { ...BOX }, ...BOX } : {}),
    data: {
      ...data,
      ...(numbered ? { label: `${definition.label} ${id.slice(id.lastIndexOf('_') + 1)}` } : {}),
      inputs,
      outputs: !step && definition.outputs?.[0] ? { output: definition.outputs[0].name } : {},
    },
  };
}
