import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './client';
import type { Schemas } from './models';

export type VersionAnswer = Schemas['VersionAnswer'];
export type VersionAnswers = Schemas['VersionAnswers'];

/** What a version answered while it was Live, a page at a time. */
export const useVersionAnswers = (flow: string, sha: string, page: number) =>
  useQuery({
    queryKey: ['versions', flow, 'answers', sha, page],
    placeholderData: keepPreviousData,
    queryFn: () => api.get('/flow-versions/{id}/{sha}/answers', { path: { id: flow, sha }, query: { page } }),
  });
