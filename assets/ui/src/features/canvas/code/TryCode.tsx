import { useMutation } from '@tanstack/react-query';
import { CircleAlert, Info, Play, TriangleAlert, type LucideIcon } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { tryCode, type CodeOutcome } from '../../../api/code';
import { duration } from '../../../core/format';
import type { Json } from '../../../core/nodes';
import { Badge, Banner, Button, cx, Field, Fields, scrollRegion, TextArea } from '../../../ui';
import { Snippet } from '../../../ui/Snippet';
import { t } from '../words';
import { usePanel } from '../panel/context';
import { Fold } from '../panel/Fold';
import { declaredInputs, namesIn, trialOf } from './examples';
import css from './Code.module.css';

export interface TryCodeProps {
  code: string;
  /** The input that holds it. */
  name: string;
  label: string;
  /** What the card is set to: the inputs that it hands to its code are among it. */
  values: Json;
  /** The line of an error, or none. */
  onFault: (line: number | null) => void;
}

/** Examples that were typed, by card and input: they outlive the panel, and not the page. */
const typed = new Map<string, Record<string, string>>();

/** Runs code with example values on the server: what it returns, what it prints, or where it fails. */
export default function TryCode({ code, name, label, values, onFault }: TryCodeProps): ReactNode {
  const { node } = usePanel();
  const place = `${node} ${name}`;
  const [mine, setMine] = useState<Record<string, string>>(() => typed.get(place) ?? {});
  const declared = useMemo(() => declaredInputs(values), [values]);
  const names = useMemo(() => [...new Set([...declared.keys(), ...namesIn(code)])], [declared, code]);
  const examples = Object.fromEntries(names.map((one) => [one, mine[one] ?? declared.get(one) ?? '']));
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      return tryCode(trialOf(code, examples), stop.current.signal);
    },
    onSuccess: (outcome) => onFault(outcome.error?.line ?? null),
  });
  const set = (one: string, text: string): void => {
    const next = { ...mine, [one]: text };
    typed.set(place, next);
    setMine(next);
  };
  return (
    <Fold title={t('editor.try')}>
      <div className={css.tryBody} role="group" aria-label={t('editor.tryOf', { name: label })}>
        <p className="note">{t('editor.tryHelp')}</p>
        {names.length > 0 && (
          <Fields>
            {names.map((one) => (
              <Field key={one} label={one} className={css.example}>
                <TextArea
                  rows={1}
                  className={css.exampleText}
                  spellCheck={false}
                  value={examples[one]}
                  onChange={(event) => set(one, event.target.value)}
                />
              </Field>
            ))}
          </Fields>
        )}
        <div className={css.tryBar}>
          <Button
            size="compact"
            icon={Play}
            busy={run.isPending}
            disabled={code.trim() === ''}
            onClick={() => run.mutate()}
          >
            {t('editor.run')}
          </Button>
          {run.isPending && (
            <Button
              size="compact"
              variant="ghost"
              onClick={() => {
                stop.current?.abort();
                run.reset();
              }}
            >
              {t('editor.stopRun')}
            </Button>
          )}
        </div>
        <div role="status" className={css.outcome}>
          {run.data && !run.isPending && <Outcome outcome={run.data} />}
          {run.error && !run.isPending && <Banner tone="danger">{run.error.message}</Banner>}
        </div>
      </div>
    </Fold>
  );
}

function Outcome({ outcome }: { outcome: CodeOutcome }): ReactNode {
  const { error, result, console: lines, consoleCut, milliseconds } = outcome;
  return (
    <>
      {error ? (
        <Banner
          tone="danger"
          title={error.line ? t('editor.failedAt', { line: error.line }) : t('editor.failed')}
        >
          {error.message}
        </Banner>
      ) : (
        <Snippet
          label={t('editor.returned')}
          text={result === null ? '' : textOf(result)}
          copy={t('editor.copyResult')}
          aside={<Badge>{duration(milliseconds)}</Badge>}
          empty={t('editor.returnedNothing')}
        />
      )}
      {lines.length > 0 && (
        <section aria-label={t('editor.printed')}>
          <p className={css.head}>
            {t('editor.printed')}
            {error && <Badge>{duration(milliseconds)}</Badge>}
          </p>
          <ol ref={scrollRegion} className={css.lines}>
            {lines.map((line, at) => {
              const { icon: Icon, words } = looks[line.level];
              return (
                <li key={at} className={cx(css.line, css[line.level])}>
                  <Icon size={14} role="img" aria-label={t(words)} />
                  <span>{line.text}</span>
                </li>
              );
            })}
          </ol>
          {consoleCut && <p className="note">{t('editor.printedCut')}</p>}
        </section>
      )}
    </>
  );
}

const looks = {
  log: { icon: Info, words: 'editor.level.log' },
  warn: { icon: TriangleAlert, words: 'editor.level.warn' },
  error: { icon: CircleAlert, words: 'editor.level.error' },
} as const satisfies Record<string, { icon: LucideIcon; words: string }>;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
