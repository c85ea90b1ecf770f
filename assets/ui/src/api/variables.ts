import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';

export type VariableType = 'static' | 'runtime';

export interface Variable {
  id: string;
  name: string;
  value: string;
  type: VariableType;
  createdDate: string;
  updatedDate: string;
}

export type VariableBody = Pick<Variable, 'name' | 'value' | 'type'>;

const records: Records<Variable, VariableBody> = {
  key: ['variables'],
  path: '/variables',
  preview: (row, body) => ({ ...row, ...body }),
};

export const useVariables = (enabled?: boolean) => useRecords(records, enabled);
export const useCreateVariable = () => useCreateRecord(records);
export const useChangeVariable = () => useChangeRecord(records);
export const useDeleteVariable = () => useDeleteRecord(records);
