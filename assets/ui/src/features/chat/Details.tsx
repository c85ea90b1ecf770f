import {
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleStop,
  Wrench,
  BookOpen,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { duration } from '../../core/format';
import { t } from '../../i18n';
import { Badge, cx, scrollRegion, Spinner } from '../../ui';
import { shown, type SourceText, type Step, type UsedTool } from './conversation';
import css from './Details.module.css';

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
function Text({ label, text, bare }: { label: string; text: string; bare?: boolean }): ReactNode {
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

/** What the answer used of tools, with what went in and came out. */
export function Tools({ tools }: { tools: readonly UsedTool[] }): ReactNode {
  return (
    <Fold icon={Wrench} label={t('chat.tools', { count: tools.length })}>
      {tools.map((tool, at) => (
        <Fold
          key={at}
          label={
            <>
              <code>{tool.tool}</code>
              {tool.error && (
                <Badge tone="danger" icon={CircleAlert}>
                  {t('chat.toolFailed')}
                </Badge>
              )}
            </>
          }
        >
          <Text label={t('chat.input')} text={shown(tool.toolInput)} />
          <Text label={t('chat.output')} text={tool.error ?? tool.toolOutput} />
        </Fold>
      ))}
    </Fold>
  );
}

/** The chunks that the answer leans on. */
export function Sources({ sources }: { sources: readonly SourceText[] }): ReactNode {
  return (
    <Fold icon={BookOpen} label={t('chat.sources', { count: sources.length })}>
      {sources.map((source, at) => (
        <Fold key={at} label={sourceName(source) ?? t('chat.sourceOf', { count: at + 1 })}>
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
      ))}
    </Fold>
  );
}

/** What loaders call where a chunk is from. */
function sourceName({ metadata }: SourceText): string | undefined {
  for (const wanted of ['title', 'fileName', 'source', 'url']) {
    const found = metadata.find(([name, value]) => name === wanted && value);
    if (found) return found[1];
  }
  return undefined;
}

/** The steps of an agentflow as they run. */
export function Steps(props: { steps: readonly Step[]; goToNode: (id: string) => void }): ReactNode {
  const { steps, goToNode } = props;
  return (
    <ol className={css.steps} aria-label={t('chat.steps', { count: steps.length })}>
      {steps.map((step, at) => (
        <li key={at} className={css.step}>
          <div className={css.stepHead}>
            <StepMark step={step} />
            <button
              type="button"
              className={css.stepName}
              aria-label={t('chat.toStep', { name: step.label })}
              onClick={() => goToNode(step.nodeId)}
            >
              {step.label}
            </button>
            <span className={css.stepFacts}>
              {step.ms !== null && duration(step.ms)}
              {step.tokens !== null && ` · ${t('chat.tokens', { count: step.tokens })}`}
            </span>
          </div>
          {step.error && <p className={css.bad}>{step.error}</p>}
          {step.input && (
            <Fold label={t('chat.input')}>
              <Text label={t('chat.input')} text={step.input} bare />
            </Fold>
          )}
          {step.output && (
            <Fold label={t('chat.output')}>
              <Text label={t('chat.output')} text={step.output} bare />
            </Fold>
          )}
        </li>
      ))}
    </ol>
  );
}

const marks = { finished: CircleCheck, stopped: CircleStop, error: CircleAlert };

function StepMark({ step: { state } }: { step: Step }): ReactNode {
  const Icon = state === 'running' ? null : marks[state];
  return (
    <span className={cx(css.mark, css[state])}>
      {Icon ? <Icon size={14} aria-hidden /> : <Spinner />}
      <span className="sr-only">{t(`chat.step.${state}`)}</span>
    </span>
  );
}
