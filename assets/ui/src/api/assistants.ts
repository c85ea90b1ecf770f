import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api } from './client';
import type { FlowChange } from './flows';
import { cached } from './keys';
import type { Schemas } from './models';

/** An assistant. One of the type CUSTOM is also the flow of the same id. */
export type Assistant = Schemas['Assistant'];

const key = ['assistants'];
const ofOne = (id: string): string[] => [...key, id];

export const useAssistants = (enabled = true) =>
  useQuery({ queryKey: key, enabled, queryFn: () => api.get('/assistants') });

export const readAssistant = (id: string) => api.get('/assistants/{id}', { path: { id } });

export const useAssistant = (id: string) =>
  useQuery({ queryKey: ofOne(id), queryFn: () => readAssistant(id) });

/** Row and flow are one record: what shows either reads it anew. */
function forget(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: key, exact: true });
  void client.invalidateQueries({ queryKey: cached.flows, exact: true });
}

/** Puts what the service answered where the page reads it, and has the flow read once more. */
export function keepAssistant(client: QueryClient, assistant: Assistant): void {
  const { id } = assistant;
  client.setQueryData(ofOne(id), assistant);
  for (const queryKey of [cached.flow(id), cached.draft(id), cached.problems(id)])
    void client.invalidateQueries({ queryKey });
  forget(client);
}

/** Makes an assistant; a name alone is enough to begin with. */
const createAssistant = (details: { name: string }) =>
  api.post('/assistants', { body: { type: 'CUSTOM', details: JSON.stringify(details) } });

interface Copy {
  id: string;
  name: string;
  /** Those of its flow. */
  settings: FlowChange;
}

/** Makes another assistant of what one is made of. */
async function copy({ id, name, settings }: Copy): Promise<{ id: string }> {
  const { details } = await readAssistant(id);
  const made = await createAssistant({ ...(JSON.parse(details) as object), name });
  await api.put('/chatflows/{id}', { path: { id: made.id }, body: settings });
  return made;
}

export const saveAssistant = (id: string, details: string) =>
  api.put('/assistants/{id}', { path: { id }, body: { details } });

export function useCreateAssistant() {
  const client = useQueryClient();
  return useMutation({ mutationFn: createAssistant, onSuccess: () => forget(client) });
}

export function useCopyAssistant() {
  const client = useQueryClient();
  return useMutation({ mutationFn: copy, onSuccess: () => forget(client) });
}

export function useDeleteAssistant() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: { id: string }) => api.delete('/assistants/{id}', { path: { id } }),
    onSuccess: () => forget(client),
  });
}

/** The cards that an assistant can be made of. They come with the program. */
export const useAssistantCards = (group: 'chatmodels' | 'tools') =>
  useQuery({
    queryKey: ['assistantCards', group],
    staleTime: Infinity,
    queryFn: () =>
      group === 'tools'
        ? api.get('/assistants/components/tools')
        : api.get('/assistants/components/chatmodels'),
  });

/** The document stores that can be searched. */
export const useAssistantStores = () =>
  useQuery({
    queryKey: ['assistantStores'],
    staleTime: 0,
    queryFn: () => api.get('/assistants/components/docstores'),
  });

type InstructionsAsked = Schemas['GenerateInstruction'];

/** Asks a model for instructions. */
export const useWriteInstructions = () =>
  useMutation({
    mutationFn: (body: InstructionsAsked) => api.post('/assistants/generate/instruction', { body }),
  });
