import { useState } from 'react';
import { useSaveSettings, type SettingsChange } from '../../api/flowsettings';
import type { Flow } from '../../api/models';
import { t } from '../../i18n';
import { toast, useUnsaved } from '../../ui';

export interface SectionProps {
  flow: Flow;
  mayEdit: boolean;
}

export interface SectionState<Value> {
  value: Value;
  set: (change: Partial<Value>) => void;
  dirty: boolean;
  busy: boolean;
  error: string | null;
  save: () => void;
  reset: () => void;
}

/** One section's form: what is stored until something is typed, then the edits until they are saved. */
export function useSection<Value extends object>(
  flow: Flow,
  read: (flow: Flow) => Value,
  write: (now: Flow, value: Value) => SettingsChange,
): SectionState<Value> {
  const [edits, setEdits] = useState<Value | null>(null);
  const saving = useSaveSettings(flow.id);
  const stored = read(flow);
  const value = edits ?? stored;
  const dirty = edits !== null && JSON.stringify(edits) !== JSON.stringify(stored);
  useUnsaved(dirty, `/flows/${flow.id}/settings`);
  return {
    value,
    set: (change) => setEdits({ ...value, ...change }),
    dirty,
    busy: saving.isPending,
    error: saving.error?.message ?? null,
    save: () =>
      saving.mutate((now) => write(now, value), {
        onSuccess: () => {
          setEdits(null);
          toast(t('flowsettings.saved'));
        },
      }),
    reset: () => {
      saving.reset();
      setEdits(null);
    },
  };
}
