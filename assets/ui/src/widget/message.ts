import type { StreamEvent } from '../core/sse';
import { list, object, text, type Json } from './json';
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
  type: 'file' | 'file:full' | 'file:rag';
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
  /** The step of the flow that runs. */
  step?: string;
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
export type Effect = 'failed' | 'ended' | { chatId: string } | undefined;

/** Brings one event into the answer it belongs to. Events this chat does not know are left alone. */
export function applyEvent(message: Message, event: StreamEvent): Effect {
  const { data } = event;
  switch (event.event) {
    case 'token':
      message.message += text(data) ?? '';
      break;
    case 'thinking':
      message.thinking = (message.thinking ?? '') + (text(data) ?? '');
      break;
    case 'sourceDocuments':
      message.sourceDocuments = list(data, source);
      break;
    case 'usedTools':
      message.usedTools = list(data, tool);
      break;
    case 'nextAgentFlow': {
      const { status, nodeLabel } = object(data);
      message.step = status === 'INPROGRESS' ? text(nodeLabel) : undefined;
      break;
    }
    case 'action':
      message.action = action(object(data));
      break;
    case 'metadata':
      return metadata(message, object(data));
    case 'error':
      return 'failed';
    case 'abort':
      message.state = 'stopped';
      break;
    case 'end':
      return 'ended';
  }
  return undefined;
}

function source(value: unknown): SourceDocument | undefined {
  const item = object(value);
  const pageContent = text(item.pageContent);
  return pageContent === undefined ? undefined : { pageContent, metadata: object(item.metadata) };
}

function tool(value: unknown): UsedTool | undefined {
  const item = object(value);
  const name = text(item.tool);
  if (name === undefined) return undefined;
  return { tool: name, toolInput: item.toolInput, toolOutput: item.toolOutput, error: item.error };
}

function action(item: Json): Action | undefined {
  const data = object(item.data);
  const buttons = list(item.elements, (element) => {
    const [type, label] = [text(object(element).type), text(object(element).label)];
    return type !== undefined && label !== undefined ? { type, label } : undefined;
  });
  if (buttons.length === 0) return undefined;
  const wantsComment = object(data.input).humanInputEnableFeedback === true;
  return { buttons, nodeId: text(data.nodeId), wantsComment };
}

function metadata(message: Message, item: Json): Effect {
  message.messageId = text(item.chatMessageId) ?? message.messageId;
  const prompts = readFollowUps(item.followUpPrompts);
  if (prompts.length > 0) message.followUps = prompts;
  if (item.action !== undefined) message.action = action(object(item.action)) ?? message.action;
  const chatId = text(item.chatId);
  return chatId === undefined ? undefined : { chatId };
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
