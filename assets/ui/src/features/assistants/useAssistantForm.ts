import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { keepAssistant, readAssistant, saveAssistant, type Assistant } from '../../api/assistants';
import { NO_ANSWER } from '../../api/client';
import type { SavedState } from '../../core/editing';
import { useUnsaved } from '../../ui';
import { readDetails, writeDetails, type Details } from './details';
import { t } from './words';

export interface AssistantForm {
  values: Details;
  set: (part: Partial<Details>) => void;
  unsaved: boolean;
  state: SavedState;
  /** Why the last save did not go through. */
  failure: string | null;
  /** What somebody else made of it since it was read; it waits for a decision. */
  theirs: Assistant | null;
  save: () => Promise<boolean>;
  /** Saves over what somebody else saved. */
  keepMine: () => Promise<boolean>;
  /** Gives up the edits. */
  drop: () => void;
}

interface Refused {
  message: string;
  away: boolean;
}

/** What is edited of an assistant. It outlives the form, so that another tab can be looked at meanwhile. */
export function useAssistantForm(assistant: Assistant, mayEdit: boolean): AssistantForm {
  const client = useQueryClient();
  const { id } = assistant;
  /** What is typed, and the details that it was begun on. */
  const [edits, setEdits] = useState<{ values: Details; from: string } | null>(null);
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [theirs, setTheirs] = useState<Assistant | null>(null);
  const from = edits?.from ?? assistant.details;
  const values = edits?.values ?? readDetails(assistant.details);
  const unsaved = edits !== null && writeDetails(edits.values) !== writeDetails(readDetails(from));
  useUnsaved(unsaved, `/flows/${id}`);
  const forgetFaults = (): void => {
    setRefused(null);
    setTheirs(null);
  };
  const send = async (over: boolean): Promise<boolean> => {
    if (!unsaved) return true;
    if (!values.name.trim()) {
      setRefused({ message: t('assistants.nameNeeded'), away: false });
      return false;
    }
    setSaving(true);
    forgetFaults();
    try {
      if (!over) {
        const now = await readAssistant(id);
        if (now.details !== from) {
          setTheirs(now);
          return false;
        }
      }
      const saved = await saveAssistant(id, writeDetails(values));
      keepAssistant(client, saved);
      // What was typed meanwhile was begun on what is stored now.
      setEdits((now) => (now && now !== edits ? { ...now, from: saved.details } : null));
      return true;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      setRefused({ message: error.message, away: 'status' in error && error.status === NO_ANSWER });
      return false;
    } finally {
      setSaving(false);
    }
  };
  const drop = useCallback(() => {
    setEdits(null);
    setRefused(null);
    setTheirs(null);
    void readAssistant(id).then(
      (now) => keepAssistant(client, now),
      () => undefined,
    );
  }, [client, id]);
  return {
    values,
    set: (part) => {
      setRefused(null);
      setEdits({ values: { ...values, ...part }, from });
    },
    unsaved,
    state: stateOf({ mayEdit, saving, refused, theirs, unsaved }),
    failure: refused?.message ?? null,
    theirs,
    save: () => send(false),
    keepMine: () => send(true),
    drop,
  };
}

function stateOf(now: {
  mayEdit: boolean;
  saving: boolean;
  refused: Refused | null;
  theirs: Assistant | null;
  unsaved: boolean;
}): SavedState {
  if (!now.mayEdit) return 'readonly';
  if (now.saving) return 'saving';
  if (now.theirs) return 'conflict';
  if (now.refused) return now.refused.away ? 'offline' : 'failed';
  return now.unsaved ? 'unsaved' : 'saved';
}
