import { useLayoutEffect, useMemo, useRef } from 'react';
import type { AnswerActions } from './Answer';

/** Actions that stay the same while what they do changes: answers that did not change are not drawn for them. */
export function useStableActions(now: AnswerActions): AnswerActions {
  const latest = useRef(now);
  useLayoutEffect(() => {
    latest.current = now;
  });
  return useMemo(
    () => ({
      onRetry: () => latest.current.onRetry(),
      onPick: (...given) => latest.current.onPick(...given),
      onDecide: (...given) => latest.current.onDecide(...given),
      onAgain: (...given) => latest.current.onAgain(...given),
      goToNode: (...given) => latest.current.goToNode(...given),
    }),
    [],
  );
}
