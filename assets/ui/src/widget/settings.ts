import { list, object, text, type Json } from './json';
import type { ChatWindowTheme } from './theme';

/** What a flow's owner set for its chat, as far as it could be understood. */
export interface FlowConfig {
  /** Whether questions are answered. */
  state?: string;
  look: ChatWindowTheme;
  starters: string[];
  feedback: boolean;
  leads?: LeadsConfig;
  form?: StartForm;
  uploads: UploadRules;
}

export interface LeadsConfig {
  title?: string;
  successMessage?: string;
  name: boolean;
  email: boolean;
  phone: boolean;
}

export interface FormField {
  type: 'string' | 'number' | 'boolean' | 'options';
  name: string;
  label: string;
  options: string[];
}

export interface StartForm {
  title?: string;
  description?: string;
  fields: FormField[];
}

export interface UploadRules {
  /** Media types of images, and their limit. */
  images: string[];
  imageMegabytes: number;
  documents: boolean;
  /** Media types of documents; empty: any. */
  documentTypes: string[];
  /** What the vector store of the flow takes in for this conversation; undefined: nothing. */
  store?: FileRule;
}

export interface FileRule {
  /** Media types, and endings with their point. */
  types: string[];
  megabytes: number;
}

/** Reads `public-chatbotConfig`. What has the wrong shape is as if it were not there. */
export function readConfig(value: unknown): FlowConfig {
  const config = object(value);
  return {
    state: text(config.state),
    look: look(config),
    starters: readPrompts(config.starterPrompts),
    feedback: object(config.chatFeedback).status === true,
    leads: leads(object(config.leads)),
    form: form(config.flowData),
    uploads: uploads(object(config.uploads), object(config.fullFileUpload)),
  };
}

/** Texts, numbers and switches, one level deep; colours and sizes are judged where they are used. */
function look(config: Json, deeper = true): ChatWindowTheme {
  const entries = Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
    if (value === '' || value === null || Array.isArray(value)) return [];
    if (typeof value !== 'object') return [[name, value]];
    return deeper ? [[name, look(value as Json, false)]] : [];
  });
  return Object.fromEntries(entries) as ChatWindowTheme;
}

/** Starter prompts: a list of texts or of `{prompt}`, or an object of these. */
export function readPrompts(value: unknown): string[] {
  const entries = Array.isArray(value) ? value : Object.values(object(value));
  return list(entries, (entry) => text(entry) ?? text(object(entry).prompt)).slice(0, 12);
}

/** Follow-up prompts arrive as JSON text. */
export function readFollowUps(value: unknown): string[] {
  try {
    return list(typeof value === 'string' ? JSON.parse(value) : value, text).slice(0, 6);
  } catch {
    return [];
  }
}

function leads(config: Json): LeadsConfig | undefined {
  if (config.status !== true) return undefined;
  const [name, email, phone] = [config.name === true, config.email === true, config.phone === true];
  if (!name && !email && !phone) return undefined;
  return { title: text(config.title), successMessage: text(config.successMessage), name, email, phone };
}

function form(flowData: unknown): StartForm | undefined {
  let canvas: Json;
  try {
    canvas = object(JSON.parse(text(flowData) ?? '{}'));
  } catch {
    return undefined;
  }
  const start = list(canvas.nodes, (node) => object(object(node).data)).find(
    ({ name }) => name === 'startAgentflow',
  );
  const inputs = object(start?.inputs);
  const fields = list(inputs.formInputTypes, (item) => field(object(item)));
  if (inputs.startInputType !== 'formInput' || fields.length === 0) return undefined;
  return { title: text(inputs.formTitle), description: text(inputs.formDescription), fields };
}

function field(config: Json): FormField | undefined {
  const name = text(config.name);
  if (name === undefined) return undefined;
  const known = (['number', 'boolean', 'options'] as const).find((type) => type === config.type);
  const options = list(config.addOptions, (item) => text(object(item).option));
  return { type: known ?? 'string', name, label: text(config.label) ?? name, options };
}

function uploads(config: Json, full: Json): UploadRules {
  const images = fileRule(config.isImageUploadAllowed, config.imgUploadSizeAndTypes);
  const store = fileRule(config.isRAGFileUploadAllowed, config.fileUploadSizeAndTypes);
  return {
    images: images.types,
    imageMegabytes: images.megabytes,
    store: store.types.length > 0 ? store : undefined,
    documents: full.status === true,
    documentTypes: (text(full.allowedUploadFileTypes) ?? '')
      .split(',')
      .map((type) => type.trim().toLowerCase())
      .filter(Boolean),
  };
}

function fileRule(allowed: unknown, rows: unknown): FileRule {
  const rules = allowed === true ? list(rows, object) : [];
  const size = Number(rules[0]?.maxUploadSize);
  return {
    types: rules.flatMap(({ fileTypes }) => list(fileTypes, text)).map((type) => type.toLowerCase()),
    megabytes: size > 0 ? size : 5,
  };
}

/** The page's wishes before the flow's: each field by itself, one level deep. */
export function mergeLook(page: ChatWindowTheme | undefined, flow: ChatWindowTheme): ChatWindowTheme {
  const merged: Json = { ...flow };
  for (const [name, value] of Object.entries(page ?? {})) {
    if (Array.isArray(value)) merged[name] = value;
    else if (typeof value === 'object' && value !== null)
      merged[name] = { ...object(merged[name]), ...given(value) };
    else if (value !== undefined && value !== null) merged[name] = value;
  }
  return merged as ChatWindowTheme;
}

function given(value: object): Json {
  return Object.fromEntries(
    Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null),
  );
}
