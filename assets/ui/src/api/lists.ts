import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { Deleted } from './models';

/** One kind of record that the service lists, creates, changes and deletes. */
export interface Records<Row extends { id: string }, Body> {
  key: readonly string[];
  list: () => Promise<Row[]>;
  create: (body: Body) => Promise<Row>;
  change: (path: { id: string }, body: Body) => Promise<unknown>;
  /** What flows use is deleted only for who says so, with `force`. */
  remove: (path: { id: string }, query: { force?: 'true' }) => Promise<Deleted>;
  /** How a change looks at once, before the service answered. */
  preview: (row: Row, body: Body) => Row;
}

export const useRecords = <Row extends { id: string }, Body>(
  { key, list }: Records<Row, Body>,
  enabled = true,
): UseQueryResult<Row[]> => useQuery({ queryKey: key, enabled, queryFn: list });

export function useCreateRecord<Row extends { id: string }, Body>({ key, create }: Records<Row, Body>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: create,
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  });
}

/** Shown at once, taken back when the service refuses. */
export function useChangeRecord<Row extends { id: string }, Body>(records: Records<Row, Body>) {
  const { key, change, preview } = records;
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: Body }) => change({ id }, body),
    onMutate: async ({ id, body }) => {
      await client.cancelQueries({ queryKey: key });
      const before = client.getQueryData<Row[]>(key);
      client.setQueryData<Row[]>(key, (rows) =>
        rows?.map((row) => (row.id === id ? preview(row, body) : row)),
      );
      return { before };
    },
    onError: (_error, _body, context) => client.setQueryData(key, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

export function useDeleteRecord<Row extends { id: string }, Body>({ key, remove }: Records<Row, Body>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, force }: { id: string; force?: boolean }) =>
      remove({ id }, force ? { force: 'true' } : {}),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
    onError: () => client.invalidateQueries({ queryKey: ['usedBy'] }),
  });
}
