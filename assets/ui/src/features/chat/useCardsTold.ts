import { useEffect } from 'react';
import type { Flow } from '../../api/models';
import { loadPart } from '../../core/parts';
import type { Turn } from './conversation';
import type { RunShown } from './TestPanel';

interface Told {
  flow: Flow;
  draft: string | null;
  /** The newest question of a chat canvas. */
  turn: Turn | undefined;
  showRun: (run: RunShown | null) => void;
  /** Goes to a place of the conversation, as a selector. */
  onOpen: (target: string) => void;
}

/** Shows at the cards of a chat canvas how its newest answer comes about. What reads that is loaded with the first one. */
export function useCardsTold({ flow, draft, turn, showRun, onOpen }: Told): void {
  const canvas = turn?.source === 'live' ? flow.flowData : (draft ?? flow.flowData);
  const { id, state, tools, sources, team, failure } = turn ?? nothing;
  // Not with each token: all cards of the canvas hear of it.
  const speaks = turn !== undefined && turn.answer + turn.thinking !== '';
  useEffect(() => {
    if (id === undefined || state === undefined) return;
    let gone = false;
    void loadPart(() => import('./cards')).then(
      ({ cardsTold }) => {
        if (gone) return;
        const told = cardsTold(canvas, { state, tools, sources, team, failure, speaks });
        showRun({ ...told, open: () => onOpen(`[data-turn="${id}"]`) });
      },
      // What cannot be loaded is not needed for the answer.
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [canvas, id, state, tools, sources, team, failure, speaks, showRun, onOpen]);
}

const nothing = { id: undefined, state: undefined, tools: [], sources: [], team: [], failure: null };
