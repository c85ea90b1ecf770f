import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './client';
import type { Schemas } from './models';

/** A flow as a tool of MCP; its texts are empty where it is none. */
export type McpServer = Schemas['McpServer'];

/** What a model reads of the tool. */
export type ToolWords = Schemas['NewMcpServer'];

const key = (flow: string) => ['mcpServer', flow];

/** How a flow stands as a tool. Only who may configure it may ask. */
export const useMcpServer = (flow: string, enabled = true) =>
  useQuery({
    queryKey: key(flow),
    enabled,
    queryFn: () => api.get('/mcp-server/{id}', { path: { id: flow } }),
  });

/** Changes the tool, which is then read anew: an answer may hold the token, and nothing keeps that. */
function useMcpChange<Sent, Answer>(flow: string, send: (sent: Sent) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    // Waited for, so that what is shown when it is done is what is stored.
    onSuccess: () => client.invalidateQueries({ queryKey: key(flow) }),
  });
}

/** Makes the flow a tool; the answer shows its token, this once. */
export const useCreateMcpServer = (flow: string) =>
  useMcpChange(flow, (body: ToolWords) => api.post('/mcp-server/{id}', { path: { id: flow }, body }));

/** Changes the words, or switches it on or off; the token stays. */
export const useChangeMcpServer = (flow: string) =>
  useMcpChange(flow, (body: Schemas['McpServerEdit']) =>
    api.put('/mcp-server/{id}', { path: { id: flow }, body }),
  );

/** Gives it another token; the answer shows it, this once. */
export const useNewMcpToken = (flow: string) =>
  useMcpChange(flow, () => api.post('/mcp-server/{id}/refresh', { path: { id: flow } }));

export const useDeleteMcpServer = (flow: string) =>
  useMcpChange(flow, () => api.delete('/mcp-server/{id}', { path: { id: flow } }));
