import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { askAnew, keepFlow, keepStatus, saveDraft, saveLive, useClient } from '../../../api/canvas';
import { ApiError, NO_ANSWER } from '../../../api/client';
import { readDraft, readFlow } from '../../../api/flows';
import { nobody, scopeNow, scopeOf, useMe } from '../../../api/me';
import type { DraftStatus, Flow } from '../../../api/models';
import { serviceNow } from '../../../core/clock';
import type { SavedState } from '../../../core/editing';
import { prettyFlow, readFlowText, type TextFault } from '../../../core/flowtext';
import {
  adoptLeft,
  digest,
  forgetLeft,
  forgetLocal,
  keepLocal,
  leftBehind,
  localName,
  whenLeftBehind,
  type LeftCopy,
  type LocalCopy,
} from '../../../core/localCopy';
import { useAutosave, useHeld } from './useAutosave';
import { t } from '../words';

export interface Editing {
  state: SavedState;
  /** The text being edited; null while nobody edits. */
  text: string | null;
  /** What was saved, as the service stores it: a text that takes the place of what was sent, and is no edit. */
  asStored: string | null;
  unsaved: boolean;
  fault: TextFault | null;
  /** Why the last save did not go through. A conflict keeps the text. */
  failure: Failure | null;
  /** Edits of an earlier visit that were never sent. Nothing is edited until it is decided what becomes of them. */
  local: LocalCopy | null;
  begin: () => void;
  change: (text: string) => void;
  /** The canvas was drawn on: `write` gives its text once it is wanted. Drafts are then saved by themselves. */
  draw: (write: () => string) => void;
  /** Writes what was drawn into the text, in lines for people. */
  spread: () => void;
  /** Sends the text. Saves go one after the other. */
  save: () => Promise<boolean>;
  /** Gives up the edits for what the service holds now; whether that could be read. */
  discard: () => Promise<boolean>;
  /** Gives up the edits because something else took their place. */
  drop: () => void;
  /** After a conflict: saves over what is stored now. */
  keepMine: () => Promise<boolean>;
  /** `drawn`: they are shown as a drawing, and saved by themselves. */
  takeLocal: (drawn: boolean) => void;
  dropLocal: () => void;
}

export interface Failure {
  message: string;
  conflict: boolean;
  /** There was no answer at all. */
  away: boolean;
  /** Whether the same may go through later. */
  passing: boolean;
  /** Seconds that the service asked to wait. */
  retryAfter: number | null;
}

/** What is edited, what it was when that began, and which one that was. */
interface Session {
  text: string | null;
  asStored: string | null;
  from: string;
  base: string;
  busy: boolean;
  failure: Failure | null;
  /** Counts what was drawn. It only rises: calls that wait name by it how far they went. */
  drawn: number;
  /** How much of that was sent, or given up for a text. */
  savedUpTo: number;
}

const nothing: readonly LeftCopy[] = [];

const storedOf = (status: DraftStatus, flow: Flow): string => status.draft?.flowData ?? flow.flowData;

const baseOf = (status: DraftStatus, flow: Flow): string =>
  status.mode === 'draft' ? (status.draft?.updatedDate ?? 'none') : liveBase(flow);

const liveBase = (flow: Flow): string => `live ${digest(flow.flowData)}`;

/** Whether a text is what is stored, in its own form or in the one for people. */
const says = (text: string, stored: string): boolean => text === stored || text === prettyFlow(stored);

const differs = ({ text, from }: Session): boolean => text !== null && !says(text, from);

/** What the page holds of a canvas being edited as text. It outlives the Editor tab. */
export function useEditing(flow: Flow, status: DraftStatus, mayEdit: boolean): Editing {
  const client = useClient();
  const { id } = flow;
  const me = useMe().data;
  const place = localName(me?.id ?? '', id);
  const [scope] = useState(() => scopeOf(me));
  /** Whether the page is still of the person who edits, in the same workspace. */
  const isOurs = useCallback(() => scopeNow(client) === scope, [client, scope]);
  const inDraft = status.mode === 'draft';
  const stored = storedOf(status, flow);
  const base = useMemo(() => baseOf(status, flow), [status, flow]);
  const [session, show] = useState<Session>({
    text: null,
    asStored: null,
    from: stored,
    base,
    busy: false,
    failure: null,
    drawn: 0,
    savedUpTo: 0,
  });
  // Calls that wait see what is typed meanwhile.
  const now = useRef(session);
  const put = useCallback((change: Partial<Session>) => {
    now.current = { ...now.current, ...change };
    show(now.current);
  }, []);
  const [left, setLeft] = useState<readonly LeftCopy[]>(() => (mayEdit ? leftBehind(place) : nothing));
  /** What is kept of what is edited here: a page that was left may still be at its last save, in the same tab. */
  const own = useRef<string | null>(null);
  const remember = useCallback(
    (text: string, base: string) => {
      // Who signed out leaves nothing behind.
      if (scopeNow(client) === nobody) return;
      own.current = text;
      keepLocal(place, { text, base, at: serviceNow() });
    },
    [client, place],
  );
  const forget = useCallback(() => {
    if (own.current !== null) forgetLocal(place, own.current);
  }, [place]);
  const local = useMemo(() => left.find((one) => !says(one.text, stored)) ?? null, [left, stored]);
  useEffect(() => {
    const sent = left.filter((one) => says(one.text, stored));
    if (sent.length === 0) return;
    // They were sent after all: whatever is stored later, they are no edits of it.
    sent.forEach(forgetLeft);
    setLeft(left.filter((one) => !sent.includes(one)));
  }, [left, stored]);
  // Edits of a tab that is closed meanwhile are offered too, while nothing is edited here.
  useEffect(() => {
    if (!mayEdit) return;
    return whenLeftBehind(place, () => {
      if (now.current.text === null) setLeft(leftBehind(place));
    });
  }, [mayEdit, place]);
  const running = useRef<Promise<boolean> | null>(null);
  /** Counts sessions: an answer to one that was dropped says nothing of the next. */
  const epoch = useRef(0);
  /** Gives the text of what was drawn since the text was last written. */
  const pending = useRef<(() => string) | null>(null);
  /** What was stored when it was last looked at, as the page was told. */
  const here = useMemo(() => `${base} ${stored}`, [base, stored]);
  const told = useRef(here);
  const seen = useRef(here);
  useEffect(() => {
    told.current = here;
  }, [here]);

  const { text, from, busy, failure, drawn } = session;
  const first = useMemo(() => prettyFlow(from), [from]);
  const waits = drawn > session.savedUpTo;
  const unsaved = waits || (text !== null && text !== first && text !== from);
  const fault = useMemo(() => {
    const read = text === null ? null : readFlowText(text);
    return read && !read.ok ? read.fault : null;
  }, [text]);

  const begin = useCallback(() => {
    if (local) return;
    seen.current = here;
    put({ text: prettyFlow(stored), asStored: null, from: stored, base, failure: null });
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
      remember(text, base);
    }
  }, [text, unsaved, busy, stored, from, base, session.base, here, begin, put, remember]);

  /** Writes what was drawn into the text, and keeps it in this browser. */
  const settle = useCallback(() => {
    const write = pending.current;
    if (!write) return;
    pending.current = null;
    const next = write();
    put({ text: next });
    remember(next, now.current.base);
  }, [remember, put]);
  const draw = useCallback(
    (write: () => string) => {
      if (local) return;
      if (now.current.text === null) {
        seen.current = here;
        put({ text: stored, from: stored, base, failure: null });
      }
      pending.current = write;
      put({ drawn: now.current.drawn + 1 });
    },
    [local, here, stored, base, put],
  );

  const spread = useCallback(() => {
    settle();
    const { text: one } = now.current;
    if (one !== null) put({ text: prettyFlow(one) });
  }, [settle, put]);

  const change = useCallback(
    (next: string) => {
      if (local) return;
      pending.current = null;
      put({ text: next, savedUpTo: now.current.drawn });
      remember(next, now.current.base);
    },
    [local, remember, put],
  );

  const send = useCallback(
    async (force: boolean): Promise<boolean> => {
      settle();
      if (!isOurs()) return false;
      const { text: sent, drawn: sentDrawn } = now.current;
      const own = epoch.current;
      if (sent === null || (!force && !differs(now.current))) {
        // Nothing differs: what failed before, or was kept meanwhile, is no edit any more.
        put({ savedUpTo: sentDrawn, failure: null });
        if (sent !== null) forget();
        return true;
      }
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
        if (epoch.current !== own || !isOurs()) {
          // What took the place of these edits may have been answered before.
          askAnew(client, id);
          return false;
        }
        if (saved.status) await keepStatus(client, id, saved.status);
        if (saved.flow) await keepFlow(client, saved.flow);
        seen.current = told.current;
        // The service may store it otherwise than it was sent: files become references.
        const typed = now.current.text;
        const more = typed !== sent || pending.current !== null;
        // What was drawn is kept as it was sent, or the drawing would be read anew after each save.
        const kept = saved.stored === sent ? sent : prettyFlow(saved.stored);
        put({
          from: saved.stored,
          base: saved.base,
          text: more ? typed : kept,
          asStored: kept === sent ? null : kept,
          savedUpTo: Math.max(now.current.savedUpTo, sentDrawn),
        });
        if (more && typed !== null) remember(typed, saved.base);
        else forget();
        return true;
      } catch (error) {
        if (epoch.current === own) put({ failure: failureOf(error) });
        return false;
      } finally {
        if (epoch.current === own) put({ busy: false });
      }
    },
    [inDraft, id, client, isOurs, put, remember, forget, settle],
  );
  const queue = useCallback(
    (force: boolean): Promise<boolean> => {
      const [before, own] = [running.current, epoch.current];
      const next = before ? before.then((done) => done && epoch.current === own && send(force)) : send(force);
      running.current = next;
      void next.finally(() => {
        if (running.current === next) running.current = null;
      });
      return next;
    },
    [send],
  );

  const discard = useCallback(async (): Promise<boolean> => {
    await running.current;
    const { conflict = false } = now.current.failure ?? {};
    put({ busy: true });
    try {
      const [draft, live] = await Promise.all([readDraft(id), readFlow(id)]);
      await keepFlow(client, live);
      await keepStatus(client, id, draft);
      forget();
      seen.current = told.current;
      const theirs = storedOf(draft, live);
      pending.current = null;
      put({
        text: prettyFlow(theirs),
        asStored: null,
        from: theirs,
        base: baseOf(draft, live),
        failure: null,
        savedUpTo: now.current.drawn,
      });
      return true;
    } catch (error) {
      put({ failure: { ...failureOf(error), conflict } });
      return false;
    } finally {
      put({ busy: false });
    }
  }, [client, id, forget, put]);

  const drop = useCallback(() => {
    forget();
    setLeft(nothing);
    pending.current = null;
    epoch.current += 1;
    // The next session waits for a save of this one, whatever becomes of it.
    running.current = running.current?.then(() => true) ?? null;
    put({ text: null, failure: null, busy: false, savedUpTo: now.current.drawn });
  }, [forget, put]);

  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [unsaved]);

  const takeLocal = (drawn: boolean): void => {
    if (!local) return;
    // Others that were left behind wait for the next visit.
    own.current = local.text;
    adoptLeft(place, local);
    setLeft(nothing);
    seen.current = here;
    // What they were made from decides whether they may be saved, not what is stored by now.
    put({
      text: local.text,
      from: stored,
      base: local.base,
      failure: null,
      drawn: now.current.drawn + (drawn ? 1 : 0),
    });
  };
  const dropLocal = (): void => {
    if (!local) return;
    forgetLeft(local);
    setLeft(left.filter((one) => one !== local));
  };
  const save = useCallback(() => queue(false), [queue]);
  const keepMine = useCallback(() => queue(true), [queue]);
  useAutosave({ on: inDraft && mayEdit, waits, drawn, busy, failure, save, keep: settle });
  const state = !mayEdit
    ? 'readonly'
    : busy
      ? 'saving'
      : failure
        ? failedState(failure)
        : unsaved
          ? 'unsaved'
          : 'saved';
  const savesItself = inDraft && mayEdit && waits && !fault && !failure?.conflict;
  useHeld(
    unsaved ? { flow: id, atStake: !savesItself || failure !== null, save: savesItself ? save : null } : null,
  );
  return {
    state,
    text,
    asStored: session.asStored,
    unsaved,
    fault,
    failure,
    local,
    begin,
    change,
    draw,
    spread,
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

/** How often Live is read anew when something else of its flow was saved between reading and saving. */
const TRIES = 3;

/**
 * Saves Live while its canvas is the one that `base` names; whichever is there when it is null. Every save of a flow moves
 * its date, of settings too: one of those between reading and saving is no conflict, and the canvas is looked at again.
 */
async function toLive(id: string, flowData: string, base: string | null): Promise<Sent> {
  for (let left = TRIES; ; left -= 1) {
    const seen = await readFlow(id);
    if (base !== null && liveBase(seen) !== base) throw new ApiError(409, t('canvas.liveMoved'));
    try {
      const flow = await saveLive(id, flowData, seen.updatedDate);
      return { stored: flow.flowData, base: liveBase(flow), flow };
    } catch (error) {
      if (left <= 1 || !(error instanceof ApiError) || error.status !== 409) throw error;
    }
  }
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : t('errors.server');
  const status = error instanceof ApiError ? error.status : null;
  const away = status === NO_ANSWER;
  return {
    message,
    conflict: status === 409,
    away,
    passing: away || status === null || status === 429 || status >= 500,
    retryAfter: error instanceof ApiError ? error.retryAfter : null,
  };
}

const failedState = ({ conflict, away }: Failure): SavedState =>
  conflict ? 'conflict' : away ? 'offline' : 'failed';
