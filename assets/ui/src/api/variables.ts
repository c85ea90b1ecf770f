import { api } from './client';
import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';
import type { Schemas } from './models';

export type VariableType = Schemas['Variable']['type'];

export type Variable = Schemas['Variable'];

export type VariableBody = Pick<Variable, 'name' | 'value' | 'type'>;

const records: Records<Variable, VariableBody> = {
  key: ['variables'],
  list: () => api.get('/variables'),
  create: (body) => api.post('/variables', { body }),
  change: (path, body) => api.put('/variables/{id}', { path, body }),
  remove: (path, query) => api.delete('/variables/{id}', { path, query }),
  preview: (row, body) => ({ ...row, ...body }),
};

export const useVariables = (enabled?: boolean) => useRecords(records, enabled);
export const useCreateVariable = () => useCreateRecord(records);
export const useChangeVariable = () => useChangeRecord(records);
export const useDeleteVariable = () => useDeleteRecord(records);
