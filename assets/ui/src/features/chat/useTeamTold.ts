import { useEffect } from 'react';
import type { Flow } from '../../api/models';
import { loadPart } from '../../core/parts';
import type { Turn } from './conversation';
import type { RunShown } from './TestPanel';

interface Told {
  flow: Flow;
  draft: string | null;
  /** The newest question of a team. */
  turn: Turn | undefined;
  showRun: (run: RunShown | null) => void;
  /** Goes to a place of the conversation, as a selector. */
  onOpen: (target: string) => void;
}

/** Shows at the cards of a team how its newest answer comes about. What reads that is loaded with the first one. */
export function useTeamTold({ flow, draft, turn, showRun, onOpen }: Told): void {
  const canvas = turn?.source === 'live' ? flow.flowData : (draft ?? flow.flowData);
  const { id, state, team, failure } = turn ?? nothing;
  useEffect(() => {
    if (id === undefined || state === undefined) return;
    let gone = false;
    void loadPart(() => import('./team')).then(
      ({ teamTold }) => {
        if (gone) return;
        const told = teamTold(canvas, { state, team, failure });
        showRun({ ...told, open: () => onOpen(`[data-turn="${id}"]`) });
      },
      // What cannot be loaded is not needed for the answer.
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [canvas, id, state, team, failure, showRun, onOpen]);
}

const nothing = { id: undefined, state: undefined, team: [], failure: null };
