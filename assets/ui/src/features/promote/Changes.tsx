import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import { useFlow } from '../../api/flows';
import type { IncomingFlow } from '../../api/promotion';
import { isEmpty } from '../../core/canvasDiff';
import { t } from '../../i18n';
import { ChangeList, changeSum, Loaded, scrollRegion, useMedia } from '../../ui';
import type { PromoteParts } from './parts';
import css from './Promote.module.css';

export interface ChangesProps {
  flow: IncomingFlow;
  parts: PromoteParts;
  selected: string | null;
  onSelect: (id: string | null) => void;
}

/** What would change in Live: in words, one by one, and on both canvases. */
export function Changes(props: ChangesProps): ReactNode {
  return props.flow.status === 'new' ? <Compared {...props} before={null} /> : <AgainstLive {...props} />;
}

function AgainstLive(props: ChangesProps): ReactNode {
  const live = useFlow(props.flow.flowId);
  return <Loaded query={live}>{({ flowData }) => <Compared {...props} before={flowData} />}</Loaded>;
}

function Compared(props: ChangesProps & { before: string | null }): ReactNode {
  const { flow, parts, before, selected, onSelect } = props;
  const { diff: told, flowData } = flow;
  const wide = useMedia('(width >= 768px)');
  const diff = useMemo(() => parts.compare(told, before, flowData), [parts, told, before, flowData]);
  const nothing = isEmpty(diff) && !told.renamed && !told.edgesChanged && told.sentences.length === 0;
  const drawn = useRef<HTMLDivElement>(null);
  // What leads to a card from further up leads to where it is drawn.
  useEffect(() => {
    if (selected !== null) drawn.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const canvases = (
    <div ref={drawn}>
      <parts.Canvases
        before={wide ? before : null}
        after={flowData}
        afterName={t('promote.fromDev')}
        diff={diff}
        selected={selected}
        onSelect={onSelect}
      />
    </div>
  );
  return (
    <section className={css.part} aria-label={t('promote.changes')}>
      <header className={css.partHead}>
        <h2>{t('promote.changes')}</h2>
        <span className="muted">{changeSum(diff, told.edgesChanged)}</span>
      </header>
      {before === null && <p className="muted">{t('promote.first')}</p>}
      {wide && canvases}
      {nothing ? (
        <p className="muted">{t('changes.none')}</p>
      ) : (
        <div ref={scrollRegion} className={css.changes} role="group" aria-label={t('promote.changes')}>
          <ChangeList
            diff={diff}
            renamed={told.renamed}
            sentences={told.sentences}
            edgesChanged={told.edgesChanged}
            onNode={onSelect}
          />
        </div>
      )}
      {/* On a phone what changed is told before it is drawn. */}
      {!wide && canvases}
    </section>
  );
}
