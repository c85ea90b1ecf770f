import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { isObject } from '../core/nodes';
import { readStream } from '../core/sse';
import { api, ApiError, fetchRaw } from './client';
import type { Schemas } from './models';

/** A document store: what loaders brought, in passages that can be searched. */
export type Store = Schemas['DocumentStore'];
export type StoreLoader = Schemas['StoreLoader'];
export type Passage = Schemas['StoredChunk'];
export type Found = Schemas['ScoredChunk'];
export type LoaderEdit = Schemas['StoreLoaderEdit'];
export type VectorCards = Schemas['StoreVectorCards'];

const key = ['stores'];

/** While something fills a store elsewhere, how often it is asked how far that is. */
const LOOK_MS = 2000;

const isBusy = (store: Store | undefined): boolean =>
  store?.status === 'SYNCING' || store?.status === 'UPSERTING';

/**
 * Whether a store can be asked, but not for all of what it holds: passages or embeddings were changed since it was
 * filled last, or it never was; `filledDate` tells which. A store whose vectors lie in the service itself names no card
 * for them, but embeddings.
 */
export const isBehind = ({ status, embeddingConfig, totalChunks }: Store): boolean =>
  embeddingConfig !== null && totalChunks > 0 && status === 'SYNC';

export const useStores = (enabled = true) =>
  useQuery({
    queryKey: key,
    enabled,
    queryFn: () => api.get('/document-store/store'),
    refetchInterval: ({ state }) => (state.data?.some(isBusy) ? LOOK_MS : false),
  });

export const useStore = (id: string, enabled = true) =>
  useQuery({
    queryKey: [...key, id],
    enabled,
    queryFn: () => api.get('/document-store/store/{id}', { path: { id } }),
    refetchInterval: ({ state }) => (isBusy(state.data) ? LOOK_MS : false),
  });

/** A page of the passages of a store, or of one of its documents. */
export const usePassages = (id: string, loader: string, page: number, enabled: boolean) =>
  useQuery({
    enabled,
    queryKey: [...key, id, 'passages', loader, page],
    placeholderData: keepPreviousData,
    queryFn: () => api.get('/document-store/chunks/{id}/{loader}/{page}', { path: { id, loader, page } }),
  });

/** How many passages the service gives at a time. */
export const PASSAGES = 50;

const matches = (id: string, loader: string, text: string, from: number) =>
  api.get('/document-store/chunk-search/{id}/{loader}', { path: { id, loader }, query: { text, from } });

/** Passages that have a text in them, from a place on; `next` is where it goes on. */
export const usePassageSearch = (id: string, loader: string, text: string, from: number) =>
  useQuery({
    queryKey: [...key, id, 'matches', loader, text, from],
    enabled: text !== '',
    placeholderData: keepPreviousData,
    queryFn: () => matches(id, loader, text, from),
  });

/** Letters of a passage by which its place is found; an address has no room for all of a long one. */
const LOOKED_FOR = 400;

async function placeOf(id: string, found: Found): Promise<Passage | null> {
  const text = [...found.pageContent.trim()].slice(0, LOOKED_FOR).join('');
  const from = JSON.stringify(found.metadata);
  for (let next: number | null = 1; next !== null;) {
    const part: Schemas['ChunkMatches'] = await matches(id, 'all', text, next);
    const same = part.chunks.filter(({ pageContent }) => pageContent === found.pageContent);
    const one = same.find(({ metadata }) => JSON.stringify(metadata) === from) ?? same[0];
    if (one) return one;
    next = part.next;
  }
  return null;
}

/** Looks for the passage that a search found where it stands in its store; `null` once it is not there any more. */
export const usePlaceOf = (id: string) => useMutation({ mutationFn: (found: Found) => placeOf(id, found) });

/** The page of the list on which the passage with this number stands. */
export const pageOfPassage = (number: number): string =>
  number > PASSAGES ? String(Math.ceil(number / PASSAGES)) : '';

/** The cards of a group, of which a store can be made. */
export const useStoreCards = (group: 'loaders' | 'embeddings' | 'vectorstore' | 'recordmanager') =>
  useQuery({
    queryKey: ['storeCards', group],
    staleTime: Infinity,
    queryFn: () => api.get('/document-store/components/{group}', { path: { group } }),
  });

/** Does something to stores, and has them read anew. */
function useChange<Input, Output>(work: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  });
}

export const useForgetStores = () => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: key });
};

export const useMakeStore = () =>
  useChange((body: { name: string; description: string }) => api.post('/document-store/store', { body }));

export const useRenameStore = () =>
  useChange(({ id, ...body }: { id: string; name: string; description: string }) =>
    api.put('/document-store/store/{id}', { path: { id }, body }),
  );

export function useDeleteStore() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, force }: { id: string; force?: boolean }) =>
      api.delete('/document-store/store/{id}', { path: { id }, query: force ? { force: 'true' } : {} }),
    // The list alone: what is gone is not read again.
    onSuccess: () => client.invalidateQueries({ queryKey: key, exact: true }),
  });
}

export const useSaveLoader = () =>
  useChange((body: LoaderEdit) => api.post('/document-store/loader/save', { body }));

export const useRemoveLoader = () =>
  useChange((path: { id: string; loader: string }) =>
    api.delete('/document-store/loader/{id}/{loader}', { path }),
  );

export const useEditPassage = () =>
  useChange(({ path, body }: { path: PassagePath; body: Schemas['ChunkEdit'] }) =>
    api.put('/document-store/chunks/{id}/{loader}/{chunk}', { path, body }),
  );

export const useRemovePassage = () =>
  useChange((path: PassagePath) => api.delete('/document-store/chunks/{id}/{loader}/{chunk}', { path }));

interface PassagePath {
  id: string;
  loader: string;
  chunk: string;
}

export const useSaveVectors = () =>
  useChange((body: VectorCards) => api.post('/document-store/vectorstore/save', { body }));

export const useRemoveVectors = () =>
  useChange((id: string) => api.delete('/document-store/vectorstore/{id}', { path: { id } }));

/** What a store finds for a text. */
export const useFound = (storeId: string, query: string) => useQuery(foundIn(storeId, query));

/** What each of these stores finds for a text; each answers by itself. */
export const useFoundInEach = (storeIds: readonly string[], query: string) =>
  useQueries({ queries: storeIds.map((id) => foundIn(id, query)) });

const foundIn = (storeId: string, query: string) =>
  queryOptions({
    queryKey: [...key, storeId, 'found', query],
    enabled: query !== '',
    retry: false,
    queryFn: () => api.post('/document-store/vectorstore/query', { body: { storeId, query } }),
  });

/** What a loader would bring, cut as it says. */
export const preview = (body: LoaderEdit, signal: AbortSignal) =>
  api.post('/document-store/loader/preview', { body, signal });

/** How far something is that fills a store. */
export interface FillProgress {
  phase: string;
  done: number;
  /** Null as long as nobody knows. */
  total: number | null;
}

type Tell = (progress: FillProgress) => void;
const headers = { accept: 'text/event-stream' };

/** Runs a loader. */
export const processLoader = async (
  storeId: string,
  loader: string,
  signal: AbortSignal,
  tell: Tell,
): Promise<void> => {
  const response = await fetchRaw('post', '/document-store/loader/process/{loader}', {
    path: { loader },
    body: { storeId },
    headers,
    signal,
  });
  await follow(response, tell);
};

export type FillCounts = Pick<Schemas['FillResult'], 'numAdded' | 'numDeleted' | 'numSkipped'>;

/** Embeds what is new. */
export const fillStore = async (storeId: string, signal: AbortSignal, tell: Tell): Promise<FillCounts> => {
  const response = await fetchRaw('post', '/document-store/vectorstore/insert', {
    body: { storeId },
    headers,
    signal,
  });
  return (await follow(response, tell)) as FillCounts;
};

/** Reads the events of a filling; gives what came of it. */
async function follow(response: Response, tell: Tell): Promise<unknown> {
  if (!response.body) throw new ApiError(0, '');
  for await (const { event, data } of readStream(response.body)) {
    if (event === 'progress' && isObject(data)) tell(data as unknown as FillProgress);
    else if (event === 'result') return data;
    else if (event === 'error') throw failure(data);
  }
  throw new ApiError(0, '');
}

function failure(data: unknown): ApiError {
  if (!isObject(data)) return new ApiError(500, String(data));
  const { status, message } = data;
  return new ApiError(typeof status === 'number' ? status : 500, typeof message === 'string' ? message : '');
}
