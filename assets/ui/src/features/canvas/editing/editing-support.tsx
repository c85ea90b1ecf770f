import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { useDraft, useFlow } from '../../../api/flows';
import type { DraftStatus, Flow } from '../../../api/models';
import { prettyFlow } from '../../../core/flowtext';
import { readLocal, type LocalCopy } from '../../../core/localCopy';
import { thisTab } from '../../../core/tabs';
import { useDocument } from './useDocument';
import { useEditing } from './useEditing';

export const canvas = (word: string): string =>
  JSON.stringify({ nodes: [{ id: word, position: { x: 0, y: 0 }, data: { id: word } }], edges: [] });
export const pretty = (word: string): string => prettyFlow(canvas(word));

/** As much of the service as editing needs. */
export class Fake {
  #live = canvas('live');
  #liveSaves = 0;
  /** What somebody else does while a save is on its way. */
  meanwhile: () => void = () => undefined;
  draft: { flowData: string; updatedDate: string } | null = null;
  count = 0;
  saves: string[] = [];
  person = 'ada';
  /** What storing does to a canvas. */
  store = (flowData: string): string => flowData;
  /** Holds saves back until it is done. */
  gate: Promise<void> = Promise.resolve();

  constructor(readonly mode: 'draft' | 'live') {}

  get live(): string {
    return this.#live;
  }

  set live(flowData: string) {
    this.#live = flowData;
    this.touch();
  }

  /** Saves something of the flow that is not its canvas. */
  touch(): void {
    this.#liveSaves += 1;
  }

  put(word: string | null): void {
    this.count += 1;
    this.draft = word === null ? null : { flowData: canvas(word), updatedDate: `date ${this.count}` };
  }

  status(): DraftStatus {
    return {
      mode: this.mode,
      draft: this.draft,
      reason: null,
      lastPublished: null,
    } as unknown as DraftStatus;
  }

  flow(): Flow {
    return {
      id: 'f',
      name: 'Flow',
      type: 'CHATFLOW',
      flowData: this.live,
      updatedDate: `live ${this.#liveSaves}`,
    } as Flow;
  }

  fetch = async (address: string, request: RequestInit): Promise<Response> => {
    if (address.endsWith('/auth/me')) return Response.json({ id: this.person, activeWorkspaceId: 'w' });
    const drafts = address.includes('/flow-drafts/');
    if (request.method === 'PUT') {
      await this.gate;
      this.meanwhile();
      const { flowData } = JSON.parse(request.body as string) as { flowData: string };
      const wanted = (request.headers as Record<string, string>)['if-match'];
      const there = drafts ? (this.draft?.updatedDate ?? 'none') : this.flow().updatedDate;
      if (wanted !== `"${there}"`) return Response.json({ message: 'Another one.' }, { status: 409 });
      this.saves.push(flowData);
      this.count += 1;
      const stored = this.store(flowData);
      if (drafts) this.draft = { flowData: stored, updatedDate: `date ${this.count}` };
      else this.live = stored;
    }
    return Response.json(drafts ? this.status() : this.flow());
  };
}

notifyManager.setScheduler(queueMicrotask);

/** Opens the flow as the page does, for this person. */
export async function openFlow(fake: Fake, person = 'ada') {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  fake.person = person;
  client.setQueryData(['me'], { id: person, activeWorkspaceId: 'w' });
  client.setQueryData(['flows', 'f'], fake.flow());
  client.setQueryData(['drafts', 'f'], fake.status());
  const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const view = renderHook(
    () => {
      const [flow, status] = [useFlow('f').data ?? fake.flow(), useDraft('f').data ?? fake.status()];
      const editing = useEditing(flow, status, true);
      return { editing, document: useDocument(editing, status.draft?.flowData ?? flow.flowData, true) };
    },
    { wrapper },
  );
  await act(async () => {
    await client.invalidateQueries();
  });
  return {
    client,
    now: () => view.result.current.editing,
    document: () => view.result.current.document,
    close: view.unmount,
  };
}

/** Where a tab keeps the edits of a person in the flow. */
export const placeOf = (tab: string, person = 'ada'): string => `flowkeep.edit.${person}.f.${tab}`;
/** What this tab keeps. */
export const kept = (person = 'ada'): LocalCopy | null => readLocal(placeOf(thisTab, person));
