import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Json } from '../core/nodes';
import { api } from './client';
import type { Schemas } from './models';

export type CodeOutcome = Schemas['CodeOutcome'];
export type CodeTrial = Schemas['CodeTrial'];
export type AnswerSchema = Schemas['AnswerSchema'];

/** Runs code with example values, and with nothing of a flow. */
export const tryCode = (trial: CodeTrial, signal?: AbortSignal): Promise<CodeOutcome> =>
  api.post('/node-custom-function', { body: trial, ...(signal ? { signal } : {}) });

/** What the model is sent for these keys, or what is wrong with them. `rows` is their JSON. */
export const useAnswerSchema = (rows: string) =>
  useQuery({
    queryKey: ['answer schema', rows],
    enabled: rows !== '[]',
    staleTime: Infinity,
    // What stood there stays until the new answer has come.
    placeholderData: keepPreviousData,
    queryFn: () => api.post('/node-answer-schema', { body: { rows: JSON.parse(rows) as Json[] } }),
  });
