import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './client';
import type { Schemas } from './models';

/** A kind of card, as the service describes it. */
export type Card = Schemas['Card'];
export type CardParam = Schemas['CardParam'];
export type Choice = Schemas['Choice'];

export const readCards = () => api.get('/nodes');

/** Every card that the service knows. They come with its program, so they are read once. */
export const useCards = (enabled = true) =>
  useQuery({
    queryKey: ['cards'],
    enabled,
    staleTime: Infinity,
    gcTime: Infinity,
    queryFn: readCards,
  });

export interface ChoiceQuestion {
  card: string;
  method: string;
  /** What the card is set to so far: some lists depend on it. */
  inputs: Record<string, unknown>;
  credential: string;
}

/** What an input is chosen from, by the service's own list. */
export const useChoices = ({ card, method, inputs, credential }: ChoiceQuestion, enabled: boolean) =>
  useQuery({
    queryKey: ['choices', card, method, credential, inputs],
    enabled,
    staleTime: 60_000,
    // A list that is asked for anew stays what it was until then.
    placeholderData: keepPreviousData,
    queryFn: () =>
      api.post('/node-load-method/{name}', {
        path: { name: card },
        body: { loadMethod: method, inputs, ...(credential ? { credential } : {}) },
      }),
  });
