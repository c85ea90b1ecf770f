import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { keepFlow, keepStatus } from './canvas';
import { api, ApiError } from './client';
import { readFlow } from './flows';
import type { Flow } from './models';

export type SettingsChange = Partial<
  Pick<
    Flow,
    'apikeyid' | 'isPublic' | 'chatbotConfig' | 'apiConfig' | 'speechToText' | 'followUpPrompts' | 'analytic'
  >
>;

/** Saves one section: the flow is read anew, so that what others wrote meanwhile stays. */
export function useSaveSettings(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (write: (now: Flow) => SettingsChange) =>
      api.put('/chatflows/{id}', { path: { id }, body: write(await readFlow(id)) }),
    onSuccess: (flow) => keepFlow(client, flow),
  });
}

export function usePublishInstantly(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (publishInstantly: boolean) =>
      api.put('/flow-drafts/{id}/settings', { path: { id }, body: { publishInstantly } }),
    onSuccess: async (status) => {
      await keepStatus(client, id, status);
      void client.invalidateQueries({ queryKey: ['flows', id] });
    },
  });
}

export const useAllowable = (id: string, updated: string, enabled = true) =>
  useQuery({
    queryKey: ['flow-config', id, updated],
    enabled,
    queryFn: () => api.get('/flow-config/{id}', { path: { id } }),
  });

/** The sites whose pages the flow turned away lately, by the list it has now. */
export const useRefusedOrigins = (id: string, updated: string) =>
  useQuery({
    queryKey: ['refused-origins', id, updated],
    queryFn: () => api.get('/refused-origins/{id}', { path: { id } }),
  });

/** A list that a section offers. Null: the person may not see it. */
function useNames<Item>(resource: string, list: () => Promise<Item[]>) {
  return useQuery({
    queryKey: ['names', resource],
    queryFn: async () => {
      try {
        return await list();
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) return null;
        throw error;
      }
    },
  });
}

export const useKeyNames = () => useNames('apiKeys', () => api.get('/apikey'));
export const useCredentialNames = () => useNames('credentials', () => api.get('/credentials'));
export const useVariableNames = () => useNames('variables', () => api.get('/variables'));
