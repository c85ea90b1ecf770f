import { useEffect, useRef, useState, type Dispatch, type SetStateAction } from 'react';
import { serviceNow } from '../../core/clock';
import { adoptLeft, forgetLocal, keepLocal, leftBehind } from '../../core/localCopy';

/** Says of a copy that it is a question and no canvas. */
const BASE = 'question';

/**
 * A text that this browser keeps while it is typed, so that neither a reload nor leaving loses it. `first` goes before what
 * was kept.
 */
export function useKeptText(
  place: string,
  first: string | undefined,
): [string, Dispatch<SetStateAction<string>>] {
  const [text, setText] = useState(() => {
    if (first) return first;
    const left = leftBehind(place).find(({ base }) => base === BASE);
    if (left) adoptLeft(place, left);
    return left?.text ?? '';
  });
  const kept = useRef(text);
  useEffect(() => {
    if (text) keepLocal(place, { text, base: BASE, at: serviceNow() });
    else if (kept.current) forgetLocal(place, kept.current);
    kept.current = text;
  }, [place, text]);
  return [text, setText];
}
