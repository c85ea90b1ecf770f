import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, fetchRaw } from './client';
import { cached } from './keys';

/** Makes the secret of a flow's webhook anew. It is shown this once. */
export function useNewSecret(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () =>
      (await api.post('/chatflows/{id}/webhook-secret', { path: { id: flow } })).webhookSecret,
    onSettled: () => client.invalidateQueries({ queryKey: cached.flow(flow) }),
  });
}

export function useForgetSecret(flow: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.delete('/chatflows/{id}/webhook-secret', { path: { id: flow } }),
    onSettled: () => client.invalidateQueries({ queryKey: cached.flow(flow) }),
  });
}

/** Notes somebody who is going to watch the calls of a webhook; gives their number. */
export const registerListener = async (flow: string): Promise<string> =>
  (await api.post('/webhook-listener/{id}/register', { path: { id: flow } })).listenerId;

/** What happens in the runs that calls start, as events. */
export const openListener = (flow: string, listener: string, signal: AbortSignal): Promise<Response> =>
  fetchRaw('get', '/webhook-listener/{id}/stream/{listener}', { path: { id: flow, listener }, signal });

export const removeListener = (flow: string, listener: string) =>
  api.delete('/webhook-listener/{id}/listener/{listener}', { path: { id: flow, listener }, quiet: true });
