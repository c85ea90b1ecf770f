import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

export interface Address {
  /** The value of a filter, empty when it is not set. */
  read: (name: string) => string;
  /** Sets filters; an empty value takes one away. */
  put: (parts: Record<string, string>) => void;
}

/** Filters in the address, so that a view can be shared and survives going back. */
export function useAddress(): Address {
  const [search, setSearch] = useSearchParams();
  const put = useCallback(
    (parts: Record<string, string>) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(parts)) {
            if (value) next.set(name, value);
            else next.delete(name);
          }
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  return { read: (name) => search.get(name) ?? '', put };
}
