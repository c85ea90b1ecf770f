/** What a run asks of a person, as an `action` of the service says it. */

import { isObject } from './nodes';

export interface Choice {
  /** `say`: the label is sent as a question. */
  does: 'proceed' | 'reject' | 'say';
  label: string;
}

export interface DecisionAsked {
  /** Names the pause; empty when the first one is meant. */
  id: string;
  /** The step that asks. */
  label: string;
  choices: readonly Choice[];
  /** Whether something may be written beside the decision. */
  takesFeedback: boolean;
}

export interface Decision {
  type: 'proceed' | 'reject';
  actionId?: string;
  feedback?: string;
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Null for what asks nothing. */
export function decisionOf(data: unknown): DecisionAsked | null {
  if (!isObject(data)) return null;
  const inner = isObject(data.data) ? data.data : {};
  const input = isObject(inner.input) ? inner.input : {};
  const mapping = isObject(data.mapping) ? data.mapping : {};
  const elements = Array.isArray(data.elements) ? data.elements.filter(isObject) : [];
  const choices = elements.flatMap(({ type, label }): Choice[] => {
    const kind = words(type);
    const does = kind.includes('approve') ? 'proceed' : kind.includes('reject') ? 'reject' : 'say';
    return words(label) ? [{ does, label: words(label) }] : [];
  });
  if (choices.length === 0) {
    for (const [does, name] of [
      ['proceed', 'approve'],
      ['reject', 'reject'],
    ] as const)
      if (words(mapping[name])) choices.push({ does, label: words(mapping[name]) });
  }
  if (choices.length === 0) return null;
  const feedback = input.humanInputEnableFeedback;
  return {
    id: words(data.id),
    label: words(inner.nodeLabel),
    choices,
    takesFeedback: feedback !== false && feedback !== 'false',
  };
}

/** What answers it. */
export function decisionFor(asked: DecisionAsked, type: Decision['type'], feedback: string): Decision {
  return {
    type,
    ...(asked.id ? { actionId: asked.id } : {}),
    ...(feedback.trim() && asked.takesFeedback ? { feedback: feedback.trim() } : {}),
  };
}
