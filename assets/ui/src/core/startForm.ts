/** The form that an agentflow begins with, as its Start card says it. */

import { parseFlow } from './flowdata';
import { isObject } from './nodes';

export interface FormField {
  type: 'string' | 'number' | 'boolean' | 'options';
  name: string;
  label: string;
  options: readonly string[];
}

export interface StartForm {
  title: string;
  description: string;
  fields: readonly FormField[];
}

export type FormValues = Record<string, string | boolean>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const rows = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

/** The form of a canvas; null when it begins with something else. */
export function startFormOf(flowData: string): StartForm | null {
  const read = parseFlow(flowData);
  const start = read.ok ? read.flow.nodes.find(({ data }) => data.name === 'startAgentflow') : undefined;
  const inputs = isObject(start?.data.inputs) ? start.data.inputs : {};
  if (inputs.startInputType !== 'formInput') return null;
  const fields = rows(inputs.formInputTypes).flatMap((row): FormField[] => {
    if (!text(row.name)) return [];
    const known = (['number', 'boolean', 'options'] as const).find((type) => type === row.type);
    const options = rows(row.addOptions)
      .map((one) => text(one.option))
      .filter(Boolean);
    return [
      { type: known ?? 'string', name: text(row.name), label: text(row.label) || text(row.name), options },
    ];
  });
  return { title: text(inputs.formTitle), description: text(inputs.formDescription), fields };
}

/** What a form shows: what was filled in where its field still takes that, else what it begins with. */
export const valuesOf = ({ fields }: StartForm, filled: FormValues = {}): FormValues =>
  Object.fromEntries(
    fields.map(({ name, type, options }) => {
      const value = filled[name];
      if (type === 'boolean') return [name, value === true];
      const fits =
        typeof value === 'string' &&
        (type !== 'options' || options.includes(value)) &&
        (type !== 'number' || Number.isFinite(Number(value)));
      return [name, fits ? value : ''];
    }),
  );

/** What is sent of a filled form: numbers as numbers, what is empty not at all. */
export function sentForm({ fields }: StartForm, values: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, type }): [string, unknown][] => {
      const value = values[name];
      if (value === undefined || value === '') return [];
      return [[name, type === 'number' ? Number(value) : value]];
    }),
  );
}
