import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './client';

/** An answer that a version gave. */
export interface VersionAnswer {
  id: string;
  chatId: string;
  question: string;
  text: string;
  date: string;
  rating: 'up' | 'down' | null;
  ms: number | null;
}

/** What a version answered while it was Live, a page at a time. */
export interface VersionAnswers {
  sha: string;
  answers: number;
  errors: number;
  medianMs: number | null;
  ratings: { up: number; down: number };
  page: number;
  pages: number;
  messages: VersionAnswer[];
}

type Read = (
  route: string,
  options: { path: { id: string; sha: string }; query: { page: number } },
) => Promise<VersionAnswers>;

const read = api.get as unknown as Read;

export const useVersionAnswers = (flow: string, sha: string | null, page: number) =>
  useQuery({
    queryKey: ['versions', flow, 'answers', sha ?? '', page],
    enabled: sha !== null,
    placeholderData: keepPreviousData,
    queryFn: () =>
      read('/flow-versions/{id}/{sha}/answers', { path: { id: flow, sha: sha ?? '' }, query: { page } }),
  });
