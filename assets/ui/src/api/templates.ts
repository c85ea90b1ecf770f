import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './client';
import type { Schemas } from './models';

/** A flow that every service brings, to start from. */
export type Starter = Schemas['Starter'];
/** A flow or a tool to start from, which somebody of the workspace kept, or of another one that shares it. */
export type Template = Schemas['Template'];
export type TemplateKind = Template['type'];

const own = ['templates'];

export const useStarters = (enabled: boolean) =>
  useQuery({
    queryKey: ['starters'],
    enabled,
    staleTime: Infinity,
    queryFn: () => api.get('/marketplaces/templates'),
  });

export const useTemplates = (enabled: boolean) =>
  useQuery({ queryKey: own, enabled, queryFn: () => api.get('/marketplaces/custom') });

/** What people say of a template. */
export interface TemplateWords {
  name: string;
  description: string;
  /** What it is for, in words of their own. */
  usecases: string[];
  /** Every workspace of the server may use it. */
  shared: boolean;
}

/** Keeps a flow as a template, without its secrets. */
export function useMakeTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Omit<TemplateWords, 'shared'> & { shared?: boolean; chatflowId: string }) =>
      api.post('/marketplaces/custom', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: own }),
  });
}

/** Changes what is given of it, and nothing else. */
export function useChangeTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: Partial<TemplateWords> & { id: string }) =>
      api.put('/marketplaces/custom/{id}', { path: { id }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: own }),
  });
}

export function useDeleteTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: { id: string }) => api.delete('/marketplaces/custom/{id}', { path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: own }),
  });
}
