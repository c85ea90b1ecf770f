import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { api, part } from './client';
import type { Deleted } from './models';

/** One kind of record that the service lists, makes, changes and deletes under one path. */
export interface Records<Row extends { id: string }, Body> {
  key: readonly string[];
  path: string;
  /** How a change looks at once, before the service answered. */
  preview?: (row: Row, body: Partial<Body>) => Row;
}

export const useRecords = <Row extends { id: string }, Body>(
  { key, path }: Records<Row, Body>,
  enabled = true,
): UseQueryResult<Row[]> => useQuery({ queryKey: key, enabled, queryFn: () => api.get<Row[]>(path) });

export function useCreateRecord<Row extends { id: string }, Body>({ key, path }: Records<Row, Body>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => api.post<Row>(path, body),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  });
}

/** Shown at once, taken back when the service refuses. */
export function useChangeRecord<Row extends { id: string }, Body>(records: Records<Row, Body>) {
  const { key, path, preview } = records;
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: Partial<Body> & { id: string }) =>
      api.put<unknown>(`${path}/${part(id)}`, body),
    onMutate: async ({ id, ...body }) => {
      await client.cancelQueries({ queryKey: key });
      const before = client.getQueryData<Row[]>(key);
      if (preview) {
        client.setQueryData<Row[]>(key, (rows) =>
          rows?.map((row) => (row.id === id ? preview(row, body as unknown as Partial<Body>) : row)),
        );
      }
      return { before };
    },
    onError: (_error, _body, context) => client.setQueryData(key, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

export function useDeleteRecord<Row extends { id: string }, Body>({ key, path }: Records<Row, Body>) {
  const client = useQueryClient();
  return useMutation({
    // What flows use is deleted only for who says so.
    mutationFn: ({ id, force }: { id: string; force?: boolean }) =>
      api.delete<Deleted>(`${path}/${part(id)}`, force ? { force } : undefined),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
    onError: () => client.invalidateQueries({ queryKey: ['usedBy'] }),
  });
}
