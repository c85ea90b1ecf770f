import { useMutation, useQuery } from '@tanstack/react-query';
import { api } from './client';
import { useChangeRecord, useCreateRecord, useDeleteRecord, useRecords, type Records } from './lists';
import type { Schemas } from './models';

/** Its fields come with it only when it is read alone, with secrets hidden. */
export type Credential = Schemas['Credential'];

export type CredentialField = Schemas['CredentialField'];

export type CredentialType = Schemas['CredentialType'];

export type CredentialBody = Schemas['NewCredential'];

const records: Records<Credential, CredentialBody> = {
  key: ['credentials'],
  list: () => api.get('/credentials'),
  create: (body) => api.post('/credentials', { body }),
  change: (path, body) => api.put('/credentials/{id}', { path, body }),
  remove: (path, query) => api.delete('/credentials/{id}', { path, query }),
  preview: (row, body) => ({ ...row, name: body.name }),
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
    queryFn: () => api.get('/credentials/{id}', { path: { id: id ?? '' } }),
  });

/** A sign-in at a provider that was begun: where to, and where back to. */
export type SignInBegun = Schemas['SignIn'];

export const useBeginSignIn = () =>
  useMutation({
    mutationFn: (id: string) => api.post('/oauth2-credential/authorize/{id}', { path: { id } }),
  });

export const useCredentialTypes = (enabled = true) =>
  useQuery({
    queryKey: ['credentialTypes'],
    enabled,
    staleTime: Infinity,
    queryFn: () => api.get('/components-credentials'),
  });
