import { useMemo, useState, type ComponentType, type ReactNode } from 'react';
import type { Flow } from '../../api/models';
import { useDraftChanges, useVersion, useVersionDiff } from '../../api/versions';
import { diffCanvas, isEmpty, type CanvasDiff } from '../../core/canvasDiff';
import { t } from '../../i18n';
import { ChangeList, ChangeSentences, changeSum, Loaded, scrollRegion, Skeleton } from '../../ui';
import { Canvases, type CompareCanvas } from './Canvases';
import { withValues } from './versions';
import css from './Versions.module.css';

export interface VersionViewProps {
  flow: Flow;
  Canvas: ComponentType<CompareCanvas>;
  narrow: boolean;
  /** Null for the draft. */
  sha: string | null;
  /** The draft's canvas, when that is shown. */
  draft: string | null;
  /** When that draft was saved. */
  updated?: string | undefined;
  against: string;
}

/** The canvas of a version or of the draft, alone or compared. */
export function VersionView(props: VersionViewProps): ReactNode {
  const { flow, sha, draft, against, Canvas } = props;
  const version = useVersion(flow.id, sha);
  const own = draft === null ? version : { ...version, data: { flowData: draft }, error: null };
  return (
    <Loaded query={own} skeleton={<Waiting />}>
      {({ flowData }) =>
        against === '' ? (
          <div className={css.canvas}>
            <Canvas flowData={flowData} label={t('versions.canvasOf', { name: t('versions.is') })} />
          </div>
        ) : (
          <Comparison {...props} after={flowData} />
        )
      }
    </Loaded>
  );
}

const Waiting = (): ReactNode => (
  <div className={css.waiting}>
    <Skeleton lines={4} height={20} />
  </div>
);

function Comparison(props: VersionViewProps & { after: string }): ReactNode {
  const { flow, sha, draft, against, after } = props;
  const told = useVersionDiff(flow.id, draft === null ? sha : null, draft === null ? against : null);
  const inDraft = useDraftChanges(
    flow,
    draft !== null && against === 'current' ? (props.updated ?? '') : null,
  );
  // Which version stands on the other side: `previous` is an id once the service has said which.
  const otherSha =
    draft === null ? (told.data && told.data.against !== 'current' ? told.data.against : null) : against;
  const other = useVersion(flow.id, otherSha !== null && otherSha !== 'current' ? otherSha : null);
  const withLive = draft === null ? told.data?.against === 'current' : against === 'current';
  const isFirst = told.data?.against === null;
  const before = withLive ? flow.flowData : isFirst ? null : other.data?.flowData;
  const ready = before !== undefined && (draft !== null || told.data !== undefined);
  const data = useMemo(() => {
    if (!ready) return undefined;
    const values = diffCanvas(before ?? null, after);
    return { before: before ?? null, diff: told.data ? withValues(told.data, values) : values };
  }, [ready, before, after, told.data]);
  const query = {
    data,
    error: told.error ?? other.error,
    refetch: () => Promise.all([told.refetch(), ...(otherSha ? [other.refetch()] : [])]),
  };
  return (
    <Loaded query={query} skeleton={<Waiting />}>
      {({ before: older, diff }) => (
        <CanvasPair
          {...props}
          before={older}
          diff={diff}
          renamed={told.data?.renamed ?? null}
          sentences={told.data?.sentences ?? inDraft.data?.sentences}
          edgesChanged={told.data?.edgesChanged ?? diff.edges.length > 0}
          names={{
            before: withLive ? t('versions.now') : t('versions.previous'),
            after: draft === null ? t('versions.is') : t('versions.draft'),
          }}
        />
      )}
    </Loaded>
  );
}

interface CanvasPairProps extends VersionViewProps {
  before: string | null;
  after: string;
  diff: CanvasDiff;
  renamed: { from: string; to: string } | null;
  sentences: readonly string[] | undefined;
  edgesChanged: boolean;
  names: { before: string; after: string };
}

function CanvasPair(props: CanvasPairProps): ReactNode {
  const { Canvas, before, after, diff, renamed, sentences, edgesChanged, names, narrow } = props;
  const [selected, select] = useState<string | null>(null);
  const nothing = isEmpty(diff) && !renamed && !edgesChanged;
  const canvases = (
    <Canvases
      Canvas={Canvas}
      before={narrow ? null : before}
      after={after}
      diff={diff}
      names={names}
      selected={selected}
      onSelect={select}
    />
  );
  const told = !nothing && sentences && sentences.length > 0 && (
    <div ref={scrollRegion} className={css.told}>
      <ChangeSentences sentences={sentences} />
    </div>
  );
  const changes = (
    <section className={css.changes} aria-label={t('versions.changes')}>
      <header className={css.changesHead}>
        <h3>{t('versions.changes')}</h3>
        <span className={css.muted}>
          {before === null ? t('versions.first') : changeSum(diff, edgesChanged)}
        </span>
      </header>
      {nothing ? (
        <p className={css.muted}>{t('changes.none')}</p>
      ) : (
        // A region that scrolls must be reachable by keyboard.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={css.scroll} role="group" aria-label={t('versions.changes')} tabIndex={0}>
          <ChangeList
            diff={diff}
            renamed={renamed}
            sentences={sentences}
            told
            edgesChanged={edgesChanged}
            onNode={select}
          />
        </div>
      )}
    </section>
  );
  // What changed is told before it is drawn; on a phone the list of each change too.
  return (
    <div className={css.compared}>
      {told}
      {narrow ? changes : canvases}
      {narrow ? canvases : changes}
    </div>
  );
}
