import { useCallback, useRef, useState, type ChangeEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useCreateFlow } from '../../api/flows';
import { importFlows } from '../../core/flowfile';
import { t } from '../../i18n';
import { toast } from '../../ui';

export interface Importing {
  /** Opens the file picker. */
  choose: () => void;
  busy: boolean;
  problem: { title: string; text: string } | null;
  forget: () => void;
  /** Put it somewhere on the page. */
  input: ReactNode;
}

/** Makes flows of chosen files; one flow is opened at once. */
export function useImport(): Importing {
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Importing['problem']>(null);
  const create = useCreateFlow();
  const [, go] = useLocation();

  const take = async (files: File[]): Promise<void> => {
    const made: string[] = [];
    for (const file of files) {
      const fail = (text: string): void =>
        setProblem({ title: t('flows.importFailed', { file: file.name }), text });
      const read = importFlows(await file.text(), file.name);
      if (!read.ok) {
        fail(t(`flows.problem.${read.problem}`));
        continue;
      }
      try {
        for (const flow of read.flows) made.push((await create.mutateAsync(flow)).id);
      } catch (error) {
        fail(error instanceof Error ? error.message : t('errors.server'));
      }
    }
    if (made.length > 0) toast(t('flows.imported', { count: made.length }));
    if (made.length === 1 && files.length === 1) go(`/flows/${made[0]}`);
  };

  const changed = (event: ChangeEvent<HTMLInputElement>): void => {
    const files = [...(event.target.files ?? [])];
    event.target.value = '';
    if (files.length === 0) return;
    setBusy(true);
    setProblem(null);
    void take(files).finally(() => setBusy(false));
  };

  return {
    choose: useCallback(() => picker.current?.click(), []),
    busy,
    problem,
    forget: () => setProblem(null),
    input: (
      <input
        ref={picker}
        type="file"
        accept=".json,application/json"
        multiple
        hidden
        aria-label={t('flows.import')}
        onChange={changed}
      />
    ),
  };
}
