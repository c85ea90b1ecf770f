import { ScanText } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { preview, type LoaderEdit } from '../../api/stores';
import { number } from '../../core/format';
import { Banner, Button, cx, scrollRegion, Spinner } from '../../ui';
import { cutsOf, type Cut } from './bounds';
import css from './Knowledge.module.css';
import { t } from './words';

export interface PreviewProps {
  /** What would be saved. */
  edit: LoaderEdit;
  /** It is read without asking anybody else, so it may be shown anew with every change. */
  alone: boolean;
}

/** Typing rests for this long before it is looked at. */
const REST_MS = 500;
/** Of long documents the first ones, and so many of their passages. */
const DOCUMENTS = 3;
const PASSAGES = 40;
/** The text behind the last passage that is shown says nothing. */
const BEHIND = 400;

interface Shown {
  of: string;
  texts: string[];
  passages: string[];
  total: number;
}

/** The text of a document with the bounds of its passages, as they are set at the moment. */
export function Preview({ edit, alone }: PreviewProps): ReactNode {
  const [wanted, setWanted] = useState<string | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const now = JSON.stringify(edit);
  const asked = wanted !== null && alone ? now : wanted;
  useEffect(() => {
    if (asked === null) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      read(JSON.parse(asked) as LoaderEdit, stop.signal).then(
        (found) => {
          setShown({ ...found, of: asked });
          setFault(null);
        },
        (cause: unknown) => {
          if (!stop.signal.aborted) setFault(cause instanceof Error ? cause.message : String(cause));
        },
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked]);
  const waits = asked !== null && shown?.of !== asked && fault === null;
  const old = wanted === null || (!alone && wanted !== now);
  return (
    <div className={css.preview}>
      {old && (
        <Button
          icon={ScanText}
          onClick={() => {
            setFault(null);
            setWanted(now);
          }}
        >
          {t('knowledge.lookAgain')}
        </Button>
      )}
      {fault && <Banner tone="danger">{fault}</Banner>}
      {waits && <Spinner />}
      {shown && !fault && <Bounds shown={shown} />}
    </div>
  );
}

async function read(edit: LoaderEdit, signal: AbortSignal): Promise<Omit<Shown, 'of'>> {
  const [whole, cut] = await Promise.all([
    preview({ ...edit, splitterId: '', splitterConfig: {}, previewChunkCount: DOCUMENTS }, signal),
    preview({ ...edit, previewChunkCount: PASSAGES }, signal),
  ]);
  return {
    texts: whole.chunks.map((one) => one.pageContent),
    passages: cut.chunks.map((one) => one.pageContent),
    total: cut.totalChunks,
  };
}

function Bounds({ shown: { texts, passages, total } }: { shown: Shown }): ReactNode {
  const cuts = cutsOf(texts, passages);
  const found = cuts.reduce((sum, cut) => sum + cut.found, 0);
  return (
    <>
      <p role="status">
        <strong>{t('knowledge.cutIn', { count: total })}</strong>{' '}
        {total > 0 && found > 0 && <span className="muted">{t('knowledge.previewText')}</span>}
      </p>
      {total === 0 && <p className="muted">{t('knowledge.nothingToCut')}</p>}
      {total > 0 && found > 0 && (
        <div ref={scrollRegion} className={css.text} role="group" aria-label={t('knowledge.preview')}>
          {cuts.map((cut, at) => cut.found > 0 && <Document key={at} cut={cut} />)}
        </div>
      )}
      {total > 0 && found === 0 && (
        <>
          <p className="muted">{t('knowledge.cutNotFound')}</p>
          <ol ref={scrollRegion} className={css.text} aria-label={t('knowledge.preview')}>
            {passages.map((passage, at) => (
              <li key={at}>{passage}</li>
            ))}
          </ol>
        </>
      )}
      {total > found && found > 0 && (
        <p className="muted">{t('knowledge.more', { count: number(total - found) })}</p>
      )}
    </>
  );
}

function Document({ cut: { pieces } }: { cut: Cut }): ReactNode {
  return (
    <p className={css.bounded}>
      {pieces.map((piece, at) => (
        <span
          key={at}
          className={cx(
            piece.in.length > 1 && css.both,
            piece.in.length === 1 && ((piece.in[0] ?? 0) % 2 === 0 ? css.even : css.odd),
          )}
        >
          {piece.begins !== null && (
            <span className={css.bound}>
              <span aria-hidden>{piece.begins}</span>
              <span className="sr-only">{t('knowledge.begins', { number: piece.begins })} </span>
            </span>
          )}
          {at === pieces.length - 1 && piece.in.length === 0 ? piece.text.slice(0, BEHIND) : piece.text}
        </span>
      ))}
    </p>
  );
}
