import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';

/** Filters by their names; an empty value takes one away. */
type Filters = Record<string, string>;

export interface Address {
  /** The value of a filter, empty when it is not set. */
  read: (name: string) => string;
  /** The address of this screen with some filters set, for a link. */
  to: (filters: Filters) => string;
  /** Sets filters. */
  put: (filters: Filters) => void;
  /** As `put`, and Back leads to what was there before. */
  go: (filters: Filters) => void;
  /** Takes filters away. */
  clear: (names: readonly string[]) => void;
}

/** Filters in the address, so that a view can be shared and survives going back. */
export function useAddress(): Address {
  const [path] = useLocation();
  const [search, setSearch] = useSearchParams();
  const put = useCallback(
    (filters: Filters) => setSearch((before) => withFilters(before, filters), { replace: true }),
    [setSearch],
  );
  const go = useCallback(
    (filters: Filters) => setSearch((before) => withFilters(before, filters)),
    [setSearch],
  );
  return {
    read: (name) => search.get(name) ?? '',
    to: (filters) => {
      const text = withFilters(search, filters).toString();
      return text ? `${path}?${text}` : path;
    },
    put,
    go,
    clear: (names) => put(Object.fromEntries(names.map((name) => [name, '']))),
  };
}

function withFilters(before: URLSearchParams, filters: Filters): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const [name, value] of Object.entries(filters)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}
