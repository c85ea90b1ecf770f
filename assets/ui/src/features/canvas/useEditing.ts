import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { keepFlow, keepStatus, saveDraft, saveLive, useClient } from '../../api/canvas';
import { ApiError } from '../../api/client';
import { readDraft, readFlow } from '../../api/flows';
import type { DraftStatus, Flow } from '../../api/models';
import { prettyFlow, readFlowText, type TextFault } from '../../core/flowtext';
import { t } from '../../i18n';
import { forgetLocal, keepLocal, readLocal, type LocalCopy } from './localCopy';

export type SavedState = 'saved' | 'unsaved' | 'saving' | 'failed' | 'readonly';

export interface Editing {
  state: SavedState;
  /** The text being edited; null while nobody edits. */
  text: string | null;
  unsaved: boolean;
  fault: TextFault | null;
  /** Why the last save did not go through. A conflict keeps the text. */
  failure: { message: string; conflict: boolean } | null;
  /** Edits of an earlier visit that were never sent. */
  local: LocalCopy | null;
  begin: () => void;
  change: (text: string) => void;
  save: () => Promise<boolean>;
  /** Gives up the edits; reads what is stored anew. */
  discard: () => Promise<void>;
  /** After a conflict: saves over what is stored now. */
  keepMine: () => Promise<boolean>;
  takeLocal: () => void;
  dropLocal: () => void;
}

const LIVE = 'live';

/** What the page holds of a canvas being edited as text. It outlives the Editor tab. */
export function useEditing(flow: Flow, status: DraftStatus, mayEdit: boolean): Editing {
  const client = useClient();
  const { id } = flow;
  const inDraft = status.mode === 'draft';
  const stored = status.draft?.flowData ?? flow.flowData;
  const [text, setText] = useState<string | null>(null);
  const [from, setFrom] = useState(stored);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Editing['failure']>(null);
  const [local, setLocal] = useState<LocalCopy | null>(() => (mayEdit ? readLocal(id) : null));
  const base = useRef<string>(LIVE);
  const first = useMemo(() => prettyFlow(from), [from]);
  const unsaved = text !== null && text !== first;
  const fault = useMemo(() => {
    const read = text === null ? null : readFlowText(text);
    return read && !read.ok ? read.fault : null;
  }, [text]);

  const baseNow = useCallback(
    (now: DraftStatus): string => (now.mode === 'draft' ? (now.draft?.updatedDate ?? 'none') : LIVE),
    [],
  );
  const begin = useCallback(() => {
    base.current = baseNow(status);
    setFrom(stored);
    setFailure(null);
    setText(prettyFlow(stored));
  }, [baseNow, status, stored]);

  // Without edits of its own, the text follows what is stored: after Publish, Discard, or a save elsewhere.
  useEffect(() => {
    if (text !== null && !unsaved && !busy && (stored !== from || base.current !== baseNow(status))) begin();
  }, [text, unsaved, busy, stored, from, status, baseNow, begin]);

  const change = useCallback(
    (next: string) => {
      setText(next);
      keepLocal(id, { text: next, base: base.current, at: Date.now() });
    },
    [id],
  );

  const send = useCallback(
    async (force: boolean): Promise<boolean> => {
      if (text === null || (!unsaved && !force)) return true;
      const read = readFlowText(text);
      if (!read.ok) {
        setFailure(null);
        return false;
      }
      setBusy(true);
      setFailure(null);
      try {
        if (inDraft) {
          if (force) base.current = baseNow(await readDraft(id));
          const saved = await saveDraft(id, read.flowData, base.current);
          base.current = baseNow(saved);
          keepStatus(client, id, saved);
        } else {
          // Live has no If-Match: what stands there now is read first.
          if (!force && (await readFlow(id)).flowData !== from)
            throw new ApiError(409, t('canvas.liveMoved'));
          keepFlow(client, await saveLive(id, read.flowData));
        }
        setFrom(read.flowData);
        setText((now) => (now === text ? prettyFlow(read.flowData) : now));
        forgetLocal(id);
        return true;
      } catch (error) {
        const message = error instanceof Error ? error.message : t('errors.server');
        setFailure({ message, conflict: error instanceof ApiError && error.status === 409 });
        return false;
      } finally {
        setBusy(false);
      }
    },
    [text, unsaved, inDraft, id, client, baseNow, from],
  );

  const discard = useCallback(async () => {
    forgetLocal(id);
    setText(null);
    setFailure(null);
    await client.invalidateQueries({ queryKey: ['drafts', id] });
    await client.invalidateQueries({ queryKey: ['flows', id] });
  }, [client, id]);

  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [unsaved]);

  const takeLocal = (): void => {
    if (!local) return;
    base.current = local.base;
    setFrom(stored);
    setText(local.text);
    setLocal(null);
  };
  const dropLocal = (): void => {
    forgetLocal(id);
    setLocal(null);
  };
  const save = useCallback(() => send(false), [send]);
  const keepMine = useCallback(() => send(true), [send]);
  const offered = local && !unsaved && local.text !== prettyFlow(stored) ? local : null;
  const state = !mayEdit ? 'readonly' : busy ? 'saving' : failure ? 'failed' : unsaved ? 'unsaved' : 'saved';
  return {
    state,
    text,
    unsaved,
    fault,
    failure,
    local: offered,
    begin,
    change,
    save,
    discard,
    keepMine,
    takeLocal,
    dropLocal,
  };
}
