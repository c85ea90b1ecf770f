import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { keepFlow, keepStatus, saveDraft, saveLive, useClient } from '../../api/canvas';
import { ApiError } from '../../api/client';
import { readDraft, readFlow } from '../../api/flows';
import { useMe } from '../../api/me';
import type { DraftStatus, Flow } from '../../api/models';
import { prettyFlow, readFlowText, type TextFault } from '../../core/flowtext';
import { digest, forgetLocal, keepLocal, localName, readLocal, type LocalCopy } from '../../core/localCopy';
import { t } from '../../i18n';

export type SavedState = 'saved' | 'unsaved' | 'saving' | 'failed' | 'readonly';

export interface Editing {
  state: SavedState;
  /** The text being edited; null while nobody edits. */
  text: string | null;
  unsaved: boolean;
  fault: TextFault | null;
  /** Why the last save did not go through. A conflict keeps the text. */
  failure: Failure | null;
  /** Edits of an earlier visit that were never sent. Nothing is edited until it is decided what becomes of them. */
  local: LocalCopy | null;
  begin: () => void;
  change: (text: string) => void;
  /** Sends the text. Saves go one after the other. */
  save: () => Promise<boolean>;
  /** Gives up the edits for what the service holds now. */
  discard: () => Promise<void>;
  /** Gives up the edits because something else took their place. */
  drop: () => void;
  /** After a conflict: saves over what is stored now. */
  keepMine: () => Promise<boolean>;
  takeLocal: () => void;
  dropLocal: () => void;
}

interface Failure {
  message: string;
  conflict: boolean;
}

/** What is edited, what it was when that began, and which one that was. */
interface Session {
  text: string | null;
  from: string;
  base: string;
  busy: boolean;
  failure: Failure | null;
}

const storedOf = (status: DraftStatus, flow: Flow): string => status.draft?.flowData ?? flow.flowData;

const baseOf = (status: DraftStatus, flow: Flow): string =>
  status.mode === 'draft' ? (status.draft?.updatedDate ?? 'none') : liveBase(flow);

const liveBase = (flow: Flow): string => `live ${digest(flow.flowData)}`;

const differs = ({ text, from }: Session): boolean => text !== null && text !== prettyFlow(from);

/** What the page holds of a canvas being edited as text. It outlives the Editor tab. */
export function useEditing(flow: Flow, status: DraftStatus, mayEdit: boolean): Editing {
  const client = useClient();
  const { id } = flow;
  const place = localName(useMe().data?.id ?? '', id);
  const inDraft = status.mode === 'draft';
  const stored = storedOf(status, flow);
  const base = useMemo(() => baseOf(status, flow), [status, flow]);
  const [session, show] = useState<Session>({ text: null, from: stored, base, busy: false, failure: null });
  // Calls that wait see what is typed meanwhile.
  const now = useRef(session);
  const put = useCallback((change: Partial<Session>) => {
    now.current = { ...now.current, ...change };
    show(now.current);
  }, []);
  const [kept, setKept] = useState<LocalCopy | null>(() => (mayEdit ? readLocal(place) : null));
  const local = useMemo(() => (kept && kept.text !== prettyFlow(stored) ? kept : null), [kept, stored]);
  const running = useRef<Promise<boolean> | null>(null);
  /** What was stored when it was last looked at, as the page was told. */
  const here = `${base} ${stored}`;
  const told = useRef(here);
  const seen = useRef(here);
  useEffect(() => {
    told.current = here;
  }, [here]);

  const { text, from, busy, failure } = session;
  const first = useMemo(() => prettyFlow(from), [from]);
  const unsaved = text !== null && text !== first;
  const fault = useMemo(() => {
    const read = text === null ? null : readFlowText(text);
    return read && !read.ok ? read.fault : null;
  }, [text]);

  const begin = useCallback(() => {
    if (local) return;
    setKept(null);
    seen.current = here;
    put({ text: prettyFlow(stored), from: stored, base, failure: null });
  }, [local, here, stored, base, put]);

  // Without edits of its own, the text follows what is stored: after Publish, Discard, or a save elsewhere.
  useEffect(() => {
    if (text === null || busy || seen.current === here) return;
    if (!unsaved) {
      seen.current = here;
      if (base !== session.base || stored !== from) begin();
    } else if (stored === from) {
      // The same canvas under another name: its draft was published.
      seen.current = here;
      put({ base });
      keepLocal(place, { text, base, at: Date.now() });
    }
  }, [text, unsaved, busy, stored, from, base, session.base, here, begin, put, place]);

  const change = useCallback(
    (next: string) => {
      if (local) return;
      put({ text: next });
      keepLocal(place, { text: next, base: now.current.base, at: Date.now() });
    },
    [local, place, put],
  );

  const send = useCallback(
    async (force: boolean): Promise<boolean> => {
      const { text: sent } = now.current;
      if (sent === null || (!force && !differs(now.current))) return true;
      const read = readFlowText(sent);
      if (!read.ok) {
        put({ failure: null });
        return false;
      }
      put({ busy: true, failure: null });
      try {
        const saved = inDraft
          ? await toDraft(id, read.flowData, force ? null : now.current.base)
          : await toLive(id, read.flowData, force ? null : now.current.base);
        if (saved.status) await keepStatus(client, id, saved.status);
        if (saved.flow) await keepFlow(client, saved.flow);
        seen.current = told.current;
        // The service may store it otherwise than it was sent: files become references.
        const typed = now.current.text;
        const more = typed !== sent;
        put({ from: saved.stored, base: saved.base, text: more ? typed : prettyFlow(saved.stored) });
        if (more && typed !== null) keepLocal(place, { text: typed, base: saved.base, at: Date.now() });
        else forgetLocal(place);
        return true;
      } catch (error) {
        put({ failure: failureOf(error) });
        return false;
      } finally {
        put({ busy: false });
      }
    },
    [inDraft, id, client, put, place],
  );
  const queue = useCallback(
    (force: boolean): Promise<boolean> => {
      const before = running.current;
      const next = before ? before.then((done) => done && send(force)) : send(force);
      running.current = next;
      void next.finally(() => {
        if (running.current === next) running.current = null;
      });
      return next;
    },
    [send],
  );

  const discard = useCallback(async () => {
    await running.current;
    const { conflict = false } = now.current.failure ?? {};
    put({ busy: true });
    try {
      const [draft, live] = await Promise.all([readDraft(id), readFlow(id)]);
      await keepFlow(client, live);
      await keepStatus(client, id, draft);
      forgetLocal(place);
      seen.current = told.current;
      const theirs = storedOf(draft, live);
      put({ text: prettyFlow(theirs), from: theirs, base: baseOf(draft, live), failure: null });
    } catch (error) {
      put({ failure: { ...failureOf(error), conflict } });
    } finally {
      put({ busy: false });
    }
  }, [client, id, place, put]);

  const drop = useCallback(() => {
    forgetLocal(place);
    setKept(null);
    put({ text: null, failure: null });
  }, [place, put]);

  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [unsaved]);

  const takeLocal = (): void => {
    if (!local) return;
    setKept(null);
    seen.current = here;
    // What they were made from decides whether they may be saved, not what is stored by now.
    put({ text: local.text, from: stored, base: local.base, failure: null });
  };
  const dropLocal = (): void => {
    forgetLocal(place);
    setKept(null);
  };
  const save = useCallback(() => queue(false), [queue]);
  const keepMine = useCallback(() => queue(true), [queue]);
  const state = !mayEdit ? 'readonly' : busy ? 'saving' : failure ? 'failed' : unsaved ? 'unsaved' : 'saved';
  return {
    state,
    text,
    unsaved,
    fault,
    failure,
    local,
    begin,
    change,
    save,
    discard,
    drop,
    keepMine,
    takeLocal,
    dropLocal,
  };
}

interface Sent {
  stored: string;
  base: string;
  status?: DraftStatus;
  flow?: Flow;
}

/** Saves the draft that `base` names; whichever is there when it is null. */
async function toDraft(id: string, flowData: string, base: string | null): Promise<Sent> {
  const expected = base ?? (await readDraft(id)).draft?.updatedDate ?? 'none';
  // The edits were begun on Live, before the flow had drafts.
  if (expected.startsWith('live ')) throw new ApiError(409, t('canvas.liveMoved'));
  const status = await saveDraft(id, flowData, expected);
  const { draft } = status;
  return { stored: draft?.flowData ?? flowData, base: draft?.updatedDate ?? 'none', status };
}

/** Live has no If-Match: what stands there now is read first. */
async function toLive(id: string, flowData: string, base: string | null): Promise<Sent> {
  if (base !== null && liveBase(await readFlow(id)) !== base) throw new ApiError(409, t('canvas.liveMoved'));
  const flow = await saveLive(id, flowData);
  return { stored: flow.flowData, base: liveBase(flow), flow };
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : t('errors.server');
  return { message, conflict: error instanceof ApiError && error.status === 409 };
}
