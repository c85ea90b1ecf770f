/** How the state of the copy is told, without React. */
import type { CopyState, CopyStatus } from '../../api/gitcopy';
import type { Key } from '../../i18n';

export interface Told {
  title: Key;
  text: Key;
  /** The versions that the text counts. */
  count: number | null;
  /** What helps most, where something does. */
  action: Action | null;
}

export type Action = 'connect' | 'copy' | 'again' | 'reconnect';

const actions: Record<CopyState, Action | null> = {
  off: null,
  'not-connected': 'connect',
  'up-to-date': 'copy',
  waiting: 'copy',
  copying: 'copy',
  retrying: 'again',
  stopped: 'again',
};

/** One sentence for each state and role, and what to do next. */
export function toldOf({ state, role, waiting }: Pick<CopyStatus, 'state' | 'role' | 'waiting'>): Told {
  const action = actions[state];
  const plain = { title: `gitcopy.state.${state}`, count: null, action } as const;
  const reads = role === 'read';
  switch (state) {
    case 'off':
    case 'retrying':
      return { ...plain, text: `gitcopy.state.${state}Text` };
    case 'not-connected':
    case 'up-to-date':
    case 'stopped':
      return { ...plain, text: reads ? `gitcopy.state.${state}ReadText` : `gitcopy.state.${state}Text` };
    case 'waiting':
    case 'copying':
      if (reads)
        return { ...plain, title: `gitcopy.state.${state}Read`, text: `gitcopy.state.${state}ReadText` };
      return waiting === null || waiting === 0
        ? { ...plain, text: `gitcopy.state.${state}TextUncounted` }
        : { ...plain, text: `gitcopy.state.${state}Text`, count: waiting };
  }
}

/** Whole seconds until a time, none for one that is past. */
export const secondsUntil = (date: string | null, now: number): number =>
  date === null ? 0 : Math.max(0, Math.ceil((new Date(date).getTime() - now) / 1000));

/** Whether a link may lead there: a folder of this machine is no page. */
export const isPage = (url: string | null): url is string => url !== null && /^https?:\/\//.test(url);
