import { useCallback, useRef, useState, type ChangeEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { previewImport, useImportFile, type ImportFile, type ImportResult } from '../../api/transfer';
import { later, toast } from '../../ui';
import { IMPORT_FILES, readImportFile } from './importFile';
import { flowsIn, isPlain } from './report';
import { t } from './words';

const ImportDialog = later(() => import('./ImportDialog'), null);

export interface Importing {
  /** Opens the file picker. */
  choose: () => void;
  busy: boolean;
  problem: { title: string; text: string } | null;
  forget: () => void;
  /** Put it somewhere on the page. */
  input: ReactNode;
}

interface OpenPreview {
  file: ImportFile;
  preview: ImportResult;
  /** Files that were chosen with it and wait for it. */
  rest: File[];
}

/**
 * Takes chosen files in, one after the other: what each would bring is shown first. One flow about which there is nothing
 * to tell comes in and is opened at once.
 */
export function useImport(): Importing {
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Importing['problem']>(null);
  const [shown, setShown] = useState<OpenPreview | null>(null);
  const { mutateAsync } = useImportFile();
  const [, go] = useLocation();

  const take = async ([chosen, ...rest]: File[]): Promise<void> => {
    if (!chosen) return;
    try {
      const file = { name: chosen.name, content: readImportFile(chosen.name, await chosen.text()) };
      const preview = await previewImport(file, 'skip');
      if (rest.length > 0 || !isPlain(preview)) return setShown({ file, preview, rest });
      const result = await mutateAsync({ file, existing: 'skip' });
      const [flow] = flowsIn(result);
      if (!flow) return setShown({ file, preview: result, rest });
      toast(t('flows.imported', { count: 1 }));
      go(`/flows/${flow}`);
    } catch (error) {
      const text = error instanceof Error ? error.message : t('errors.server');
      setProblem({ title: t('flows.importFailed', { file: chosen.name }), text });
      await take(rest);
    }
  };

  const begin = (files: File[]): void => {
    setBusy(true);
    void take(files).finally(() => setBusy(false));
  };
  const changed = (event: ChangeEvent<HTMLInputElement>): void => {
    const files = [...(event.target.files ?? [])];
    event.target.value = '';
    setProblem(null);
    begin(files);
  };

  return {
    choose: useCallback(() => picker.current?.click(), []),
    busy,
    problem,
    forget: () => setProblem(null),
    input: (
      <>
        <input
          ref={picker}
          type="file"
          accept={IMPORT_FILES}
          multiple
          hidden
          onChange={changed}
          aria-hidden
          tabIndex={-1}
        />
        {shown && (
          <ImportDialog
            key={shown.file.name}
            file={shown.file}
            preview={shown.preview}
            onClose={() => {
              setShown(null);
              begin(shown.rest);
            }}
          />
        )}
      </>
    ),
  };
}
