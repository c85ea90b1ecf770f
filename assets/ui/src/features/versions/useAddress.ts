import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { readView, writeView, type View } from './versions';

/** What the address says about the screen, and how a change of it becomes an address. */
export function useAddress(flow: string): {
  view: View;
  to: (change: Partial<View>) => string;
  go: (change: Partial<View>) => void;
} {
  const search = useSearch();
  const [, navigate] = useLocation();
  const view = useMemo(() => readView(search), [search]);
  const to = useCallback(
    (change: Partial<View>) => `/flows/${flow}/versions${writeView({ ...view, ...change })}`,
    [flow, view],
  );
  // Filters and comparisons replace the address: Back leaves the version, not each choice on it.
  const go = useCallback((change: Partial<View>) => navigate(to(change), { replace: true }), [navigate, to]);
  return { view, to, go };
}
