import { useMutation, useQuery } from '@tanstack/react-query';
import { api, part } from './client';
import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';
import type { Schemas } from './models';

/** Without its fields, as lists show it. */
export type Credential = Schemas['Credential'];

export type FieldValue = string | number | boolean | null;

export interface CredentialWithFields extends Credential {
  /** Secrets are hidden. */
  plainDataObj: Record<string, FieldValue>;
}

/** A later service may say more about a field. */
export type CredentialField = Omit<Schemas['CredentialField'], 'type'> & {
  type: Schemas['CredentialField']['type'] | 'json';
  description?: string;
  placeholder?: string;
};

export type CredentialType = Omit<Schemas['CredentialType'], 'inputs'> & { inputs: CredentialField[] };

export interface CredentialBody {
  name: string;
  credentialName: string;
  plainDataObj: Record<string, FieldValue>;
}

const records: Records<Credential, CredentialBody> = {
  key: ['credentials'],
  path: '/credentials',
  preview: (row, body) => ({ ...row, name: body.name ?? row.name }),
};

export const useCredentials = (enabled?: boolean) => useRecords(records, enabled);
export const useCreateCredential = () => useCreateRecord(records);
export const useChangeCredential = () => useChangeRecord(records);
export const useDeleteCredential = () => useDeleteRecord(records);

/** One with its fields, read anew each time. */
export const useCredential = (id: string | null) =>
  useQuery({
    queryKey: ['credential', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => api.get<CredentialWithFields>(`/credentials/${part(id ?? '')}`),
  });

/** A sign-in at a provider that was begun: where to, and where back to. */
export type SignInBegun = Schemas['SignIn'];

export const useBeginSignIn = () =>
  useMutation({
    mutationFn: (id: string) => api.post<SignInBegun>(`/oauth2-credential/authorize/${part(id)}`),
  });

export const useCredentialTypes = (enabled = true) =>
  useQuery({
    queryKey: ['credentialTypes'],
    enabled,
    staleTime: Infinity,
    queryFn: () => api.get<CredentialType[]>('/components-credentials'),
  });
