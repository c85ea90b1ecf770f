import { api } from './client';
import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';
import type { Schemas } from './models';

export type Role = Schemas['Role'];

export type RoleBody = Pick<Role, 'name' | 'description' | 'permissions'>;

const records: Records<Role, RoleBody> = {
  key: ['roles'],
  list: () => api.get('/role'),
  create: (body) => api.post('/role', { body }),
  change: (path, body) => api.put('/role/{id}', { path, body }),
  remove: (path) => api.delete('/role/{id}', { path }),
  preview: (row, body) => ({ ...row, ...body }),
};

export const useRoles = (enabled?: boolean) => useRecords(records, enabled);
export const useCreateRole = () => useCreateRecord(records);
export const useChangeRole = () => useChangeRecord(records);
export const useDeleteRole = () => useDeleteRecord(records);

/** What is offered first: the built-in Viewer, if it may be given, else the first that may. */
export function leastRole(roles: readonly Role[]): string {
  const given = roles.filter((role) => role.assignable);
  return (given.find((role) => role.id === '00000000-0000-4000-8000-000000000004') ?? given[0])?.id ?? '';
}
