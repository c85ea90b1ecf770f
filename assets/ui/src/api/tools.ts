import { api } from './client';
import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';
import type { Schemas } from './models';

export type Tool = Schemas['Tool'];

export type ToolBody = Pick<Tool, 'name' | 'description' | 'schema' | 'func'>;

const records: Records<Tool, ToolBody> = {
  key: ['tools'],
  list: () => api.get('/tools'),
  create: (body) => api.post('/tools', { body }),
  change: (path, body) => api.put('/tools/{id}', { path, body }),
  remove: (path, query) => api.delete('/tools/{id}', { path, query }),
  preview: (row, body) => ({ ...row, ...body }),
};

export const useTools = (enabled?: boolean) => useRecords(records, enabled);
export const useCreateTool = () => useCreateRecord(records);
export const useChangeTool = () => useChangeRecord(records);
export const useDeleteTool = () => useDeleteRecord(records);
