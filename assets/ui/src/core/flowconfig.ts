/**
 * Reads and writes the settings of a flow. The service keeps them as JSON texts that others write as well, so every
 * writer here takes the text as it is now and gives it back with nothing lost but what it was asked to change.
 */

import { budgetOf, textOfBudget, type BudgetText } from './budget';

export type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const bool = (value: unknown): boolean => value === true;
/** Numbers arrive as text from some writers. */
const numberText = (value: unknown): string =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';

export function readConfig(stored: string | null | undefined): Json {
  try {
    const read: unknown = JSON.parse(stored ?? '{}');
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

export const inside = (config: Json, key: string): Json => {
  const value = config[key];
  return isObject(value) ? value : {};
};

/** The text with one object changed; `undefined` takes a key away. */
export function change(stored: string | null, values: Json): string {
  return JSON.stringify(without({ ...readConfig(stored), ...values }));
}

const without = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const nonEmpty = (value: string): string | undefined => (value.trim() === '' ? undefined : value);

// Allowed domains

export interface Domains {
  list: string[];
  message: string;
}

export function readDomains(stored: string | null): Domains {
  const config = readConfig(stored);
  const list = Array.isArray(config.allowedOrigins) ? config.allowedOrigins.map(text) : [];
  // One empty entry stands for every site.
  return {
    list: list[0] === '' ? [] : list.filter((one) => one !== ''),
    message: text(config.allowedOriginsError),
  };
}

export const writeDomains = (stored: string | null, { list, message }: Domains): string =>
  change(stored, {
    allowedOrigins: list.map((one) => one.trim().replace(/\/+$/, '')).filter((one) => one !== ''),
    allowedOriginsError: nonEmpty(message),
  });

/** Whether an entry can ever fit the origin of a page: `https://shop.example`, or a host with or without port. */
export function isOrigin(entry: string): boolean {
  const trimmed = entry.trim().replace(/\/+$/, '');
  const hasScheme = /^https?:\/\//i.test(trimmed);
  if (!hasScheme && trimmed.includes('://')) return false;
  if (!/^[^\s/@?#*]+$/.test(trimmed.replace(/^https?:\/\//i, ''))) return false;
  try {
    return new URL(hasScheme ? trimmed : `https://${trimmed}`).hostname !== '';
  } catch {
    return false;
  }
}

// Rate limit

export interface RateLimit {
  on: boolean;
  max: string;
  seconds: string;
  message: string;
}

export function readRate(stored: string | null): RateLimit {
  const rate = inside(readConfig(stored), 'rateLimit');
  const values = {
    max: numberText(rate.limitMax),
    seconds: numberText(rate.limitDuration),
    message: text(rate.limitMsg),
  };
  const whole = values.max !== '' && values.seconds !== '';
  return { ...values, on: rate.status === undefined ? whole : bool(rate.status) };
}

export function writeRate(stored: string | null, { on, max, seconds, message }: RateLimit): string {
  const before = inside(readConfig(stored), 'rateLimit');
  const limitMsg = nonEmpty(message);
  const rateLimit = without({
    ...before,
    status: on,
    limitMax: max.trim(),
    limitDuration: seconds.trim(),
    limitMsg,
  });
  return change(stored, { rateLimit });
}

// Budget of a day

export const readBudget = (stored: string | null): BudgetText =>
  textOfBudget(inside(readConfig(stored), 'budget'));

export const writeBudget = (stored: string | null, value: BudgetText): string =>
  change(stored, { budget: budgetOf(value) ?? undefined });

/** Whether callers with the flow's key may name the sessions that they ask in. */
export const readNamedSessions = (stored: string | null): boolean =>
  readConfig(stored).namedSessions === true;

export const writeNamedSessions = (stored: string | null, namedSessions: boolean): string =>
  change(stored, { namedSessions });

/** A whole number of one or more. */
export const isCount = (value: string): boolean => /^\d{1,9}$/.test(value.trim()) && Number(value) >= 1;

// Chat

export interface ChatLook {
  title: string;
  picture: string;
  answerPicture: string;
  welcome: string;
  failure: string;
}

export function readLook(stored: string | null): ChatLook {
  const config = readConfig(stored);
  return {
    title: text(config.title),
    picture: text(config.titleAvatarSrc),
    answerPicture: text(inside(config, 'botMessage').avatarSrc),
    welcome: text(config.welcomeMessage),
    failure: text(config.errorMessage),
  };
}

export function writeLook(stored: string | null, look: ChatLook): string {
  const before = inside(readConfig(stored), 'botMessage');
  const avatarSrc = nonEmpty(look.answerPicture);
  const botMessage = without({
    ...before,
    avatarSrc,
    showAvatar: avatarSrc ? true : before.showAvatar && false,
  });
  return change(stored, {
    title: nonEmpty(look.title),
    titleAvatarSrc: nonEmpty(look.picture),
    welcomeMessage: nonEmpty(look.welcome),
    errorMessage: nonEmpty(look.failure),
    botMessage: Object.keys(botMessage).length > 0 ? botMessage : undefined,
  });
}

export function readStarters(stored: string | null): string[] {
  const value = readConfig(stored).starterPrompts;
  const rows = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return rows
    .map((one: unknown) => (isObject(one) ? text(one.prompt) : text(one)))
    .filter((one) => one !== '');
}

export function writeStarters(stored: string | null, prompts: readonly string[]): string {
  const kept = prompts.map((one) => one.trim()).filter((one) => one !== '');
  const starterPrompts = Object.fromEntries(kept.map((prompt, at) => [String(at), { prompt }]));
  return change(stored, { starterPrompts: kept.length > 0 ? starterPrompts : undefined });
}

export const readFeedback = (stored: string | null): boolean =>
  bool(inside(readConfig(stored), 'chatFeedback').status);

export const writeFeedback = (stored: string | null, status: boolean): string =>
  change(stored, { chatFeedback: { ...inside(readConfig(stored), 'chatFeedback'), status } });

export interface Leads {
  on: boolean;
  title: string;
  done: string;
  name: boolean;
  email: boolean;
  phone: boolean;
}

export function readLeads(stored: string | null): Leads {
  const leads = inside(readConfig(stored), 'leads');
  return {
    on: bool(leads.status),
    title: text(leads.title),
    done: text(leads.successMessage),
    name: bool(leads.name),
    email: bool(leads.email),
    phone: bool(leads.phone),
  };
}

export function writeLeads(stored: string | null, { on, title, done, name, email, phone }: Leads): string {
  const before = inside(readConfig(stored), 'leads');
  return change(stored, {
    leads: { ...before, status: on, title, successMessage: done, name, email, phone },
  });
}

// Follow-up prompts and speech: one provider is chosen, each keeps its own settings

export interface ProviderSettings {
  on: boolean;
  provider: string;
  /** The settings of every provider, as far as they are words. */
  settings: Record<string, Record<string, string>>;
}

const words = (value: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => typeof one === 'string' || typeof one === 'number')
      .map(([name, one]) => [name, String(one)]),
  );

const providers = (config: Json): ProviderSettings['settings'] =>
  Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) => (isObject(value) ? [[name, words(value)]] : [])),
  );

export function readFollowUps(stored: string | null): ProviderSettings {
  const config = readConfig(stored);
  return { on: bool(config.status), provider: text(config.selectedProvider), settings: providers(config) };
}

/** The record's own field, and its mirror in the chat settings. */
export function writeFollowUps(
  now: { followUpPrompts: string | null; chatbotConfig: string | null },
  { on, provider, settings }: ProviderSettings,
): { followUpPrompts: string; chatbotConfig: string } {
  const before = readConfig(now.followUpPrompts);
  const mine = provider ? { [provider]: merged(inside(before, provider), settings[provider] ?? {}) } : {};
  return {
    followUpPrompts: JSON.stringify({ ...before, ...mine, status: on, selectedProvider: provider }),
    chatbotConfig: change(now.chatbotConfig, {
      followUpPrompts: { ...inside(readConfig(now.chatbotConfig), 'followUpPrompts'), status: on },
    }),
  };
}

const merged = (before: Json, now: Record<string, string>): Json =>
  without({
    ...before,
    ...Object.fromEntries(Object.entries(now).map(([name, value]) => [name, nonEmpty(value)])),
  });

export function readSpeech(stored: string | null): ProviderSettings {
  const config = readConfig(stored);
  const on = Object.entries(config).find(
    ([name, value]) => name !== 'none' && isObject(value) && value.status === true,
  );
  return { on: on !== undefined, provider: on?.[0] ?? '', settings: providers(config) };
}

/** Exactly one provider is on; the others keep what they were set to. */
export function writeSpeech(stored: string | null, { provider, settings }: ProviderSettings): string {
  const before = readConfig(stored);
  const off = Object.fromEntries(
    Object.entries(before).map(([name, value]) => [
      name,
      isObject(value) ? { ...value, status: false } : value,
    ]),
  );
  if (!provider) return JSON.stringify(off);
  const mine = merged(inside(before, provider), settings[provider] ?? {});
  return JSON.stringify({ ...off, [provider]: { ...mine, status: true } });
}

// Files

export interface Files {
  on: boolean;
  types: string[];
  pdf: 'perPage' | 'perFile';
}

export function readFiles(stored: string | null): Files {
  const files = inside(readConfig(stored), 'fullFileUpload');
  const types = text(files.allowedUploadFileTypes)
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return {
    on: bool(files.status),
    types,
    pdf: inside(files, 'pdfFile').usage === 'perFile' ? 'perFile' : 'perPage',
  };
}

export function writeFiles(stored: string | null, { on, types, pdf }: Files): string {
  const before = inside(readConfig(stored), 'fullFileUpload');
  return change(stored, {
    fullFileUpload: {
      ...before,
      status: on,
      allowedUploadFileTypes: types.join(','),
      pdfFile: { ...inside(before, 'pdfFile'), usage: pdf },
    },
  });
}

// Code after the answer

export interface PostCode {
  on: boolean;
  code: string;
}

/** The code is kept as a JSON string within the JSON. */
export function readCode(stored: string | null): PostCode {
  const post = inside(readConfig(stored), 'postProcessing');
  const kept = text(post.customFunction);
  return { on: bool(post.enabled), code: unwrapped(kept) };
}

function unwrapped(kept: string): string {
  try {
    const read: unknown = JSON.parse(kept);
    return typeof read === 'string' ? read : kept;
  } catch {
    return kept;
  }
}

export function writeCode(stored: string | null, { on, code }: PostCode): string {
  const before = inside(readConfig(stored), 'postProcessing');
  return change(stored, {
    postProcessing: { ...before, enabled: on, customFunction: JSON.stringify(code) },
  });
}
