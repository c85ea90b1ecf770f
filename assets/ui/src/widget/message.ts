import type { StreamEvent } from '../core/sse';
import { readFollowUps } from './settings';

export interface SourceDocument {
  pageContent: string;
  metadata: Record<string, unknown>;
}

export interface UsedTool {
  tool: string;
  toolInput?: unknown;
  toolOutput?: unknown;
  error?: unknown;
}

export interface Step {
  id: string;
  label: string;
  status: string;
}

export interface ActionButton {
  type: string;
  label: string;
}

/** A question to a person in the middle of a run. */
export interface Action {
  buttons: ActionButton[];
  nodeId?: string;
  wantsComment: boolean;
}

export interface Upload {
  type: 'file' | 'file:full';
  name: string;
  mime: string;
  data?: string;
}

export interface Message {
  key: number;
  type: 'userMessage' | 'apiMessage' | 'error';
  message: string;
  state: 'writing' | 'done' | 'stopped';
  dateTime: string;
  messageId?: string;
  fileUploads?: Upload[];
  sourceDocuments?: SourceDocument[];
  usedTools?: UsedTool[];
  steps?: Step[];
  thinking?: string;
  followUps?: string[];
  action?: Action;
  /** When to offer another try, in seconds; only on errors. */
  retryAfter?: number;
  /** Nothing to try again: the chat itself cannot be used. */
  final?: boolean;
  rating?: 'THUMBS_UP' | 'THUMBS_DOWN';
}

/** What an event says beyond the message it changes. */
export type Effect =
  { kind: 'none' } | { kind: 'failed' } | { kind: 'ended' } | { kind: 'conversation'; chatId: string };

const NONE: Effect = { kind: 'none' };

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function list<T>(value: unknown, read: (item: Record<string, unknown>) => T | undefined): T[] {
  return Array.isArray(value) ? value.flatMap((item) => read(object(item)) ?? []) : [];
}

/** Brings one event into the answer it belongs to. Events this chat does not know are left alone. */
export function applyEvent(message: Message, event: StreamEvent): Effect {
  const { data } = event;
  switch (event.event) {
    case 'token':
      if (typeof data === 'string') message.message += data;
      return NONE;
    case 'thinking':
      if (typeof data === 'string') message.thinking = (message.thinking ?? '') + data;
      return NONE;
    case 'sourceDocuments':
      message.sourceDocuments = list(data, source);
      return NONE;
    case 'usedTools':
      message.usedTools = list(data, tool);
      return NONE;
    case 'nextAgentFlow':
      step(message, object(data));
      return NONE;
    case 'action':
      message.action = action(object(data));
      return NONE;
    case 'metadata':
      return metadata(message, object(data));
    case 'error':
      return { kind: 'failed' };
    case 'abort':
      message.state = 'stopped';
      return NONE;
    case 'end':
      return { kind: 'ended' };
    default:
      return NONE;
  }
}

function source(item: Record<string, unknown>): SourceDocument | undefined {
  const pageContent = text(item.pageContent);
  return pageContent === undefined ? undefined : { pageContent, metadata: object(item.metadata) };
}

function tool(item: Record<string, unknown>): UsedTool | undefined {
  const name = text(item.tool);
  if (name === undefined) return undefined;
  return { tool: name, toolInput: item.toolInput, toolOutput: item.toolOutput, error: item.error };
}

function step(message: Message, item: Record<string, unknown>): void {
  const id = text(item.nodeId);
  if (id === undefined) return;
  const made = { id, label: text(item.nodeLabel) ?? id, status: text(item.status) ?? '' };
  const steps = (message.steps ??= []);
  const last = steps.findLast((known) => known.id === id);
  if (last?.status === 'INPROGRESS') Object.assign(last, made);
  else if (steps.length < 200) steps.push(made);
}

function action(item: Record<string, unknown>): Action | undefined {
  const data = object(item.data);
  const buttons = list(item.elements, (element) => {
    const [type, label] = [text(element.type), text(element.label)];
    return type !== undefined && label !== undefined ? { type, label } : undefined;
  });
  if (buttons.length === 0) return undefined;
  const wantsComment = object(data.input).humanInputEnableFeedback === true;
  return { buttons, nodeId: text(data.nodeId), wantsComment };
}

function metadata(message: Message, item: Record<string, unknown>): Effect {
  message.messageId = text(item.chatMessageId) ?? message.messageId;
  const prompts = readFollowUps(item.followUpPrompts);
  if (prompts.length > 0) message.followUps = prompts;
  if (item.action !== undefined) message.action = action(object(item.action)) ?? message.action;
  const chatId = text(item.chatId);
  return chatId === undefined ? NONE : { kind: 'conversation', chatId };
}

/** A whole answer as the events a stream would have brought. */
export function eventsOf(value: unknown): StreamEvent[] {
  const reply = object(value);
  const answer = text(reply.text) ?? (reply.json === undefined ? '' : JSON.stringify(reply.json, null, 2));
  const shown = text(reply.text) === undefined && answer !== '' ? '```json\n' + answer + '\n```' : answer;
  const lists = ['sourceDocuments', 'usedTools', 'action'].filter((name) => reply[name] !== undefined);
  return [
    { event: 'token', data: shown },
    ...lists.map((event) => ({ event, data: reply[event] })),
    { event: 'metadata', data: reply },
    { event: 'end', data: '[DONE]' },
  ];
}
