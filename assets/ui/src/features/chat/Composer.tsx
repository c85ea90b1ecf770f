import { ArrowUp, FileText, Image, Music, Paperclip, Square, X } from 'lucide-react';
import { useRef, useState, type DragEvent, type ReactNode, type RefObject } from 'react';
import { bytes } from '../../core/format';
import { t } from './words';
import { cx, IconButton } from '../../ui';
import css from './Composer.module.css';
import type { ChatFile } from './conversation';
import { FILES_MAX, kindOf, refusal, type Offer } from './offer';
import { useKeptFiles } from './useKeptFiles';
import { useKeptText } from './useKeptText';

export interface ComposerProps {
  input: RefObject<HTMLTextAreaElement | null>;
  /** What stands in it at first, in place of what was typed and never sent. */
  first?: string;
  /** Where what is typed and chosen is kept until it is sent: see `localName`. */
  place: string;
  offer: Offer;
  busy: boolean;
  disabled: boolean;
  /** False when nothing was asked: what was written comes back. */
  onSend: (question: string, files: readonly ChatFile[]) => Promise<boolean>;
  onStop: () => void;
}

/** Where questions are written. Enter sends, Shift Enter begins a line; focus stays here. */
export function Composer({
  input,
  first,
  place,
  offer,
  busy,
  disabled,
  onSend,
  onStop,
}: ComposerProps): ReactNode {
  const [text, setText] = useKeptText(place, first);
  const [files, setFiles] = useKeptFiles(place, first !== undefined);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [over, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const takes = offer.accept !== '' && !disabled;
  const ready = !busy && !disabled && (text.trim() !== '' || files.length > 0);

  const send = (): void => {
    if (!ready) return;
    setText('');
    setFiles([]);
    setProblems([]);
    void onSend(text.trim(), files).then((sent) => {
      if (sent) return;
      setText((now) => now || text);
      setFiles((now) => (now.length > 0 ? now : files));
    });
  };
  const add = async (list: readonly File[]): Promise<void> => {
    const { taken, refused } = await readFiles(list, files, offer);
    setFiles((now) => [...now, ...taken]);
    setProblems(refused);
    input.current?.focus();
  };
  const drag = (event: DragEvent, inside: boolean): void => {
    if (!takes || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(inside);
  };

  return (
    <form
      className={cx(css.composer, over && css.over)}
      onSubmit={(event) => {
        event.preventDefault();
        send();
        input.current?.focus();
      }}
      onDragEnter={(event) => drag(event, true)}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        drag(event, false);
        if (takes) void add([...event.dataTransfer.files]);
      }}
    >
      {problems.length > 0 && (
        <div className={css.problems} role="alert">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
      {files.length > 0 && (
        <ul className={css.files} aria-label={t('chat.files')}>
          {files.map((file, at) => (
            <li key={`${file.name} ${at}`} className={css.file}>
              <FileMark file={file} />
              <button
                type="button"
                className={css.remove}
                aria-label={t('chat.removeFile', { name: file.name })}
                onClick={() => {
                  setFiles(files.filter((_, here) => here !== at));
                  input.current?.focus();
                }}
              >
                <X size={13} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className={css.box}>
        <textarea
          ref={input}
          className={css.text}
          rows={1}
          value={text}
          disabled={disabled}
          aria-label={t('chat.message')}
          placeholder={over ? t('chat.dropHere') : t('chat.placeholder')}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files];
            if (pasted.length === 0 || !takes) return;
            event.preventDefault();
            void add(pasted);
          }}
        />
        <div className={css.tools}>
          {takes && (
            <>
              <input
                ref={picker}
                type="file"
                multiple
                hidden
                accept={offer.accept}
                onChange={(event) => {
                  void add([...(event.target.files ?? [])]);
                  event.target.value = '';
                }}
              />
              <IconButton
                icon={Paperclip}
                size="compact"
                label={t('chat.attach')}
                onClick={() => picker.current?.click()}
              />
            </>
          )}
          {busy ? (
            <IconButton
              icon={Square}
              size="compact"
              variant="default"
              label={t('chat.stop')}
              onClick={onStop}
            />
          ) : (
            <IconButton
              icon={ArrowUp}
              type="submit"
              size="compact"
              variant="primary"
              label={t('chat.send')}
              disabled={!ready}
            />
          )}
        </div>
      </div>
    </form>
  );
}

/** A file as a small sign: an image shows itself. */
export function FileMark({ file }: { file: ChatFile }): ReactNode {
  const Icon = file.mime.startsWith('image/') ? Image : file.mime.startsWith('audio/') ? Music : FileText;
  return (
    <span className={css.mark}>
      {file.mime.startsWith('image/') ? (
        <img className={css.thumb} src={file.data} alt="" />
      ) : (
        <Icon size={14} aria-hidden />
      )}
      <span className="clipped">{file.name}</span>
      <span className={css.size}>{bytes(file.size)}</span>
    </span>
  );
}

async function readFiles(
  list: readonly File[],
  there: readonly ChatFile[],
  offer: Offer,
): Promise<{ taken: ChatFile[]; refused: string[] }> {
  const taken: ChatFile[] = [];
  const refused: string[] = [];
  for (const file of list) {
    const all = [...there, ...taken];
    const size = all.reduce((sum, one) => sum + one.size, 0);
    const why = refusal(file, all.length, size, offer);
    if (why) refused.push(t(`chat.file.${why}`, { name: file.name, count: FILES_MAX }));
    else {
      const data = await dataUri(file);
      if (data === null) refused.push(t('chat.file.read', { name: file.name }));
      else {
        const [mime, type] = [file.type || typeOf(data), kindOf(file, offer)];
        taken.push({ name: file.name, mime, size: file.size, data, type });
      }
    }
  }
  return { taken, refused };
}

const typeOf = (data: string): string => /^data:([^;,]*)/.exec(data)?.[1] ?? '';

function dataUri(file: File): Promise<string | null> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : null);
    reader.onerror = () => resolve(null);
    reader.readAsDataURL(file);
  });
}
