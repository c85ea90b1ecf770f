/** Undo and redo: what a document was, and what it was before that. */

export interface History<State> {
  past: readonly State[];
  present: State;
  future: readonly State[];
  /** What the last step was, for steps that belong together. */
  last: { name: string; at: number } | null;
}

const STEPS_MAX = 100;
/** Typing and nudging within this time is one step. */
const BURST_MS = 1000;

export const begin = <State>(present: State): History<State> => ({
  past: [],
  present,
  future: [],
  last: null,
});

/** Takes a step. Steps of one name that follow one another quickly are one step; without a name each is its own. */
export function step<State>(
  history: History<State>,
  next: State,
  name: string | null,
  now: number,
): History<State> {
  if (next === history.present) return history;
  const { last } = history;
  const goesOn = name !== null && last !== null && last.name === name && now - last.at < BURST_MS;
  const past = goesOn ? history.past : [...history.past, history.present].slice(-STEPS_MAX);
  return { past, present: next, future: [], last: name === null ? null : { name, at: now } };
}

export function undo<State>(history: History<State>): History<State> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    present: before,
    future: [history.present, ...history.future],
    last: null,
  };
}

export function redo<State>(history: History<State>): History<State> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future, last: null };
}

/** Something else takes the place of what there is, without a step: the same, as the service stores it. */
export const replacePresent = <State>(history: History<State>, present: State): History<State> => ({
  ...history,
  present,
});
