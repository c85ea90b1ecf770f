import { BookOpen, ChevronRight, CircleAlert, Wrench, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { shown, type SourceText, type UsedTool } from '../../core/run';
import { Badge } from '../Badge';
import { scrollRegion } from '../scrollRegion';
import css from './Parts.module.css';
import { t } from './words';

export interface FoldProps {
  label: ReactNode;
  icon?: LucideIcon;
  open?: boolean;
  children: ReactNode;
}

/** A part that opens and closes. */
export function Fold({ label, icon: Icon, open, children }: FoldProps): ReactNode {
  return (
    <details className={css.fold} open={open}>
      <summary className={css.summary}>
        <ChevronRight size={14} aria-hidden className={css.chevron} />
        {Icon && <Icon size={14} aria-hidden />}
        <span className={css.label}>{label}</span>
      </summary>
      <div className={css.inside}>{children}</div>
    </details>
  );
}

/** A text that scrolls; `bare` where the words above it are the label already. */
export function LongText({ label, text, bare }: { label: string; text: string; bare?: boolean }): ReactNode {
  return (
    <>
      {!bare && <p className={css.caption}>{label}</p>}
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={css.text} tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </>
  );
}

/** What was used of tools, with what went in and came out. */
export function Tools({ tools }: { tools: readonly UsedTool[] }): ReactNode {
  return (
    <Fold icon={Wrench} label={t('run.tools', { count: tools.length })}>
      {tools.map((tool, at) => (
        <Fold
          key={at}
          label={
            <>
              <code>{tool.tool}</code>
              {tool.error && (
                <Badge tone="danger" icon={CircleAlert}>
                  {t('run.toolFailed')}
                </Badge>
              )}
            </>
          }
        >
          <LongText label={t('run.input')} text={shown(tool.toolInput)} />
          {(tool.error ?? tool.toolOutput) && (
            <LongText label={t('run.output')} text={tool.error ?? tool.toolOutput} />
          )}
        </Fold>
      ))}
    </Fold>
  );
}

/** The chunks that an answer leans on. */
export function Sources({ sources }: { sources: readonly SourceText[] }): ReactNode {
  return (
    <Fold icon={BookOpen} label={t('run.sources', { count: sources.length })}>
      <SourceTexts sources={sources} />
    </Fold>
  );
}

/** Texts with what is known of them, each of which opens and closes. */
export function SourceTexts({
  sources,
  open,
}: {
  sources: readonly SourceText[];
  open?: boolean;
}): ReactNode {
  return sources.map((source, at) => (
    <Fold key={at} open={open} label={sourceName(source) ?? t('run.sourceOf', { count: at + 1 })}>
      <p ref={scrollRegion} className={css.chunk}>
        {source.text}
      </p>
      {source.metadata.length > 0 && (
        <dl className={css.facts}>
          {source.metadata.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Fold>
  ));
}

/** What loaders call where a chunk is from. */
function sourceName({ metadata }: SourceText): string | undefined {
  for (const wanted of ['title', 'fileName', 'source', 'url']) {
    const found = metadata.find(([name, value]) => name === wanted && value);
    if (found) return found[1];
  }
  return undefined;
}
