import { TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import type { LoadedFlow, FlowNode } from '../../core/flowdata';
import { cardName, inputRows, nodeLabel, type InputRow } from '../../core/nodes';
import { t } from '../../i18n';
import { Banner, CopyButton, IconButton, scrollRegion, Tile } from '../../ui';
import css from './Editor.module.css';
import { kindOf } from './kinds';

export interface InspectorProps {
  node: FlowNode;
  flow: LoadedFlow;
  problems: readonly string[];
  onSelect: (id: string | null) => void;
}

/** Everything a node is set to, read only. */
export default function Inspector({ node, flow, problems, onSelect }: InspectorProps): ReactNode {
  const rows = inputRows(node, flow.edges);
  const title = useRef<HTMLHeadingElement>(null);
  const kind = kindOf(node);
  const names = new Map(flow.nodes.map((one) => [one.id, nodeLabel(one)]));
  const leadsTo = [
    ...new Set(flow.edges.filter((edge) => edge.source === node.id).map((edge) => edge.target)),
  ];
  const set = rows.filter((row) => row.value !== null || row.from.length > 0);
  const unset = rows.filter((row) => row.value === null && row.from.length === 0);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  const close = (): void => {
    onSelect(null);
    document.querySelector<HTMLElement>(`[data-node="${CSS.escape(node.id)}"]`)?.focus();
  };
  return (
    // Escape closes the panel from everywhere inside it.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={css.inspector} onKeyDown={(event) => event.key === 'Escape' && close()}>
      <header className={css.inspectorHead}>
        <Tile icon={kind.icon} hue={kind.hue} />
        <div>
          <h2 ref={title} tabIndex={-1}>
            {nodeLabel(node)}
          </h2>
          <p className={css.muted}>{cardName(node)}</p>
        </div>
        <IconButton icon={X} size="compact" label={t('kit.close')} onClick={close} />
      </header>
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={css.fields} role="group" aria-label={t('canvas.inputs')} tabIndex={0}>
        {problems.length > 0 && (
          <Banner tone="warning">
            {problems.map((problem) => (
              <p key={problem}>{problem}</p>
            ))}
          </Banner>
        )}
        {typeof node.data.description === 'string' && node.data.description && (
          <p className={css.muted}>{node.data.description}</p>
        )}
        {set.length > 0 ? (
          <dl>
            {set.map((row) => (
              <div key={row.name}>
                <dt>{row.label}</dt>
                <dd>
                  <Value row={row} names={names} onSelect={onSelect} />
                </dd>
              </div>
            ))}
          </dl>
        ) : (
          <p className={css.muted}>{t('canvas.nothingSet')}</p>
        )}
        {leadsTo.length > 0 && (
          <dl>
            <div>
              <dt>{t('canvas.leadsTo')}</dt>
              <dd>
                <Links ids={leadsTo} names={names} onSelect={onSelect} />
              </dd>
            </div>
          </dl>
        )}
        {unset.length > 0 && (
          <p className="muted">{t('canvas.notSet', { names: unset.map((row) => row.label).join(', ') })}</p>
        )}
        <p className={css.muted}>
          {t('canvas.nodeId')} <code>{node.id}</code>
        </p>
      </div>
    </div>
  );
}

type Names = ReadonlyMap<string, string>;

function Value(props: { row: InputRow; names: Names; onSelect: (id: string) => void }): ReactNode {
  const { row, names, onSelect } = props;
  if (row.from.length > 0) return <Links ids={row.from} names={names} onSelect={onSelect} />;
  if (row.secret || row.type === 'credential') return <em>{t('canvas.hidden')}</em>;
  if (!row.block)
    return row.value === 'true' ? t('canvas.on') : row.value === 'false' ? t('canvas.off') : row.value;
  return (
    <>
      <pre ref={scrollRegion}>{row.value}</pre>
      <CopyButton text={row.value ?? ''} label={t('canvas.copyOf', { name: row.label })} />
    </>
  );
}

function Links(props: { ids: readonly string[]; names: Names; onSelect: (id: string) => void }): ReactNode {
  return props.ids.map((id, at) => (
    <span key={id}>
      {at > 0 && ', '}
      {props.names.has(id) ? (
        <button type="button" className={css.link} onClick={() => props.onSelect(id)}>
          {props.names.get(id)}
        </button>
      ) : (
        <span>
          <TriangleAlert size={12} aria-hidden /> {id}
        </span>
      )}
    </span>
  ));
}
