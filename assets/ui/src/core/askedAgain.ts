import { isObject } from './nodes';

/**
 * A question that goes along to the page of its flow, to be asked of the draft. It travels in the state of the browser's
 * history and not in the address, which servers and proxies write down.
 */
export interface AskedAgain {
  question: string;
}

/** The question that the state of this entry of the history brings; empty without one. */
export const askedAgain = (state: unknown): string =>
  isObject(state) && typeof state.question === 'string' ? state.question : '';
