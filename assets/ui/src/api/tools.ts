import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';

export interface Tool {
  id: string;
  name: string;
  description: string;
  color: string;
  iconSrc: string | null;
  /** JSON text of its arguments. */
  schema: string;
  func: string;
  createdDate: string;
  updatedDate: string;
}

export type ToolBody = Pick<Tool, 'name' | 'description' | 'schema' | 'func'>;

const records: Records<Tool, ToolBody> = {
  key: ['tools'],
  path: '/tools',
  preview: (row, body) => ({ ...row, ...body }),
};

export const useTools = (enabled?: boolean) => useRecords(records, enabled);
export const useCreateTool = () => useCreateRecord(records);
export const useChangeTool = () => useChangeRecord(records);
export const useDeleteTool = () => useDeleteRecord(records);
