import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * A function that stays the same while what it does changes: the library tells each of its many parts of every new one.
 */
export function useStable<Of extends unknown[], Result>(act: (...of: Of) => Result): (...of: Of) => Result {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...of: Of) => latest.current(...of), []);
}
