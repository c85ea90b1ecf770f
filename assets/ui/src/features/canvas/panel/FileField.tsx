import { Upload, X } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { Button, IconButton } from '../../../ui';
import { t } from '../words';
import { usePanel, type FieldProps } from './context';
import css from './Panel.module.css';
import { fileNames, fileUri } from './values';

/** Files that a card brings along. They are sent inside of the canvas, and stored beside it. */
export function FileField({ param, scope }: FieldProps): ReactNode {
  const { readOnly } = usePanel();
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const names = fileNames(scope.values[param.name]);
  const take = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    try {
      const uris = await Promise.all(files.map(fileUri));
      setFault(null);
      scope.change({ [param.name]: uris.length === 1 ? uris[0] : JSON.stringify(uris) });
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className={css.files}>
      {names.map((name) => (
        <span key={name} className={css.file}>
          <span className="clipped">{name}</span>
        </span>
      ))}
      {!readOnly && (
        <span className="inline">
          <Button size="compact" icon={Upload} onClick={() => input.current?.click()}>
            {t(names.length > 0 ? 'editor.otherFile' : 'editor.chooseFile')}
          </Button>
          {names.length > 0 && (
            <IconButton
              size="compact"
              icon={X}
              label={t('editor.noFile')}
              onClick={() => scope.change({ [param.name]: '' })}
            />
          )}
        </span>
      )}
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={param.fileType === '*' ? undefined : param.fileType}
        aria-label={param.label}
        onChange={(event) => {
          void take([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {fault && (
        <p role="alert" className={css.bad}>
          {fault}
        </p>
      )}
    </div>
  );
}
