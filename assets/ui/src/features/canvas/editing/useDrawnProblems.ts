import { useEffect, useState } from 'react';
import { judgeCanvas, useProblems, type CardProblem } from '../../../api/canvas';
import { writeDoc, type Doc } from '../document/doc';

/** Drawing rests for this long before the service is asked what it thinks of it. */
const REST_MS = 400;
/** A canvas of more cards is long to write and to judge: who draws on it is not held up for that. */
const MANY = 400;
const REST_OF_MANY_MS = 2500;

const nothing: readonly CardProblem[] = [];

/**
 * What is wrong with the canvas as it is drawn, by the rules of the service; what is stored is judged as soon as nothing
 * waits to be saved. `updated` names what is stored.
 */
export function useDrawnProblems(
  flow: string,
  updated: string,
  doc: Doc | null,
  waits: boolean,
): readonly CardProblem[] {
  const { data: stored = nothing, isPlaceholderData: old } = useProblems(flow, updated);
  const [drawn, setDrawn] = useState<readonly CardProblem[] | null>(null);
  const judged = waits ? doc : null;
  useEffect(() => {
    if (!judged) return;
    const stop = new AbortController();
    const rest = judged.nodes.length > MANY ? REST_OF_MANY_MS : REST_MS;
    const timer = setTimeout(() => {
      // Without an answer the list stays as it was: that the service is away is said elsewhere.
      judgeCanvas(flow, writeDoc(judged), stop.signal).then(
        (found) => !stop.signal.aborted && setDrawn(found),
        () => undefined,
      );
    }, rest);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [flow, judged]);
  // What was found of a drawing holds until what was made of it is judged where it is stored.
  useEffect(() => {
    if (!waits && !old) setDrawn(null);
  }, [waits, old, stored]);
  return drawn ?? stored;
}
