import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './client';
import { cached } from './keys';
import type { Schemas } from './models';

export type ImportResult = Schemas['ImportResult'];
export type ImportItem = Schemas['ImportItem'];
export type PublishResults = Schemas['PublishResults'];

/** What becomes of things that are here already. */
export type Existing = NonNullable<Schemas['Import']['existing']>;

export interface ImportFile {
  name: string;
  content: Record<string, unknown>;
}

const send = ({ name, content }: ImportFile, existing: Existing, mode: 'preview' | 'import') =>
  api.post('/export-import/import', { body: { ...content, fileName: name, existing, mode } });

export const previewImport = (file: ImportFile, existing: Existing) => send(file, existing, 'preview');

/** What an import would do. Nothing of it is kept: what is here may change at any time. */
export const useImportPreview = (file: ImportFile, existing: Existing, first?: ImportResult) =>
  useQuery({
    queryKey: ['import', file.name, existing],
    queryFn: () => previewImport(file, existing),
    initialData: existing === 'skip' ? first : undefined,
    staleTime: Infinity,
    gcTime: 0,
  });

export function useImportFile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ file, existing }: { file: ImportFile; existing: Existing }) =>
      send(file, existing, 'import'),
    // Anything may have come in.
    onSettled: () => client.invalidateQueries(),
  });
}

/** Publishes those of these flows that can run, each with a version of its own. */
export function usePublishEach() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: string[]) => api.post('/flow-drafts/publish', { body: { ids } }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: cached.flows }),
        client.invalidateQueries({ queryKey: ['drafts'] }),
      ]),
  });
}
