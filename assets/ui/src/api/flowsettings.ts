import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Allowable, Variable } from '../core/overrides';
import { keepFlow, keepStatus } from './canvas';
import { api, ApiError, part } from './client';
import { readFlow } from './flows';
import type { DraftStatus, Flow, Schemas } from './models';

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
      api.put<Flow>(`/chatflows/${part(id)}`, write(await readFlow(id))),
    onSuccess: (flow) => keepFlow(client, flow),
  });
}

export function usePublishInstantly(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (publishInstantly: boolean) =>
      api.put<DraftStatus>(`/flow-drafts/${part(id)}/settings`, { publishInstantly }),
    onSuccess: async (status) => {
      await keepStatus(client, id, status);
      void client.invalidateQueries({ queryKey: ['flows', id] });
    },
  });
}

export const useAllowable = (id: string, updated: string) =>
  useQuery({
    queryKey: ['flow-config', id, updated],
    queryFn: () => api.get<Allowable[]>(`/flow-config/${part(id)}`),
  });

/** The sites whose pages the flow turned away lately, by the list it has now. */
export const useRefusedOrigins = (id: string, updated: string) =>
  useQuery({
    queryKey: ['refused-origins', id, updated],
    queryFn: () => api.get<Schemas['RefusedOrigin'][]>(`/refused-origins/${part(id)}`),
  });

export interface KeyName {
  id: string;
  keyName: string;
  apiKey: string;
}

export interface CredentialName {
  id: string;
  name: string;
  credentialName: string;
}

/** Lists that a section offers. Null: the person may not see them. */
function useNames<Item>(path: string) {
  return useQuery({
    queryKey: ['names', path],
    queryFn: async () => {
      try {
        return await api.get<Item[]>(path);
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) return null;
        throw error;
      }
    },
  });
}

export const useKeyNames = () => useNames<KeyName>('/apikey');
export const useCredentialNames = () => useNames<CredentialName>('/credentials');
export const useVariableNames = () => useNames<Variable>('/variables');
