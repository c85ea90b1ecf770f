import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { HIDDEN } from '../core/hidden';
import { api } from './client';
import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';
import type { Schemas } from './models';

/** An MCP server that the workspace keeps: where it is, what it is asked with, and whether it listed its tools. */
export type ToolServer = Schemas['ToolServer'];

/** What is left out stays. */
export type ToolServerBody = Schemas['ToolServerEdit'] & {
  name: string;
  authConfig: { headers: Record<string, string> };
};

/** The most that the service gives at once. */
const PAGE_ROWS = 500;

async function listAll(): Promise<ToolServer[]> {
  const rows: ToolServer[] = [];
  for (let page = 1; ; page += 1) {
    const { data, total } = await api.get('/custom-mcp-servers', { query: { page, limit: PAGE_ROWS } });
    rows.push(...data);
    if (data.length === 0 || rows.length >= total) return rows;
  }
}

const records: Records<ToolServer, ToolServerBody> = {
  key: ['toolServers'],
  list: listAll,
  create: ({ serverUrl, ...body }) =>
    api.post('/custom-mcp-servers', { body: { ...body, serverUrl: serverUrl ?? '' } }),
  change: (path, body) => api.put('/custom-mcp-servers/{id}', { path, body }),
  remove: (path, query) => api.delete('/custom-mcp-servers/{id}', { path, query }),
  preview: (row, { name, authConfig }) => {
    const hidden = Object.keys(authConfig.headers).map((header) => [header, HIDDEN] as const);
    return { ...row, name, authConfig: { headers: Object.fromEntries(hidden) } };
  },
};

export const useToolServers = (enabled?: boolean) => useRecords(records, enabled);
export const useCreateToolServer = () => useCreateRecord(records);
export const useChangeToolServer = () => useChangeRecord(records);
export const useDeleteToolServer = () => useDeleteRecord(records);

/** Asks the server itself for its tools. A refusal is kept as its state, so that the list is read anew either way. */
export function useAuthorizeToolServer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.post('/custom-mcp-servers/{id}/authorize', { path: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: records.key }),
  });
}

/** The tools that it listed when it was last asked. */
export const useOfferedTools = ({ id, status, updatedDate }: ToolServer) =>
  useQuery({
    queryKey: [...records.key, id, 'tools', updatedDate],
    enabled: status === 'AUTHORIZED',
    queryFn: () => api.get('/custom-mcp-servers/{id}/tools', { path: { id } }),
  });
