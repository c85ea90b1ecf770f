import {
  Handle,
  NodeResizer,
  Position,
  useStore,
  useUpdateNodeInternals,
  type NodeProps,
} from '@xyflow/react';
import {
  CircleAlert,
  CircleCheck,
  CirclePause,
  CirclePlus,
  CircleStop,
  LoaderCircle,
  Move,
  PencilLine,
  Trash2,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react';
import { memo, useEffect, useRef, type ReactNode } from 'react';
import { cardName, nodeLabel, noteText, type Port } from '../../../core/nodes';
import type { Key } from '../../../i18n';
import { cx, Tile } from '../../../ui';
import css from './Canvas.module.css';
import { isStep } from '../document/doc';
import { levels } from '../levels';
import { LOOP_IN, LOOP_OUT, type CardNode } from './graph';
import { kindOf } from './kinds';
import { endKey, useLook } from './look';
import { NoteWords } from './NoteWords';
import type { StepState } from '../../../core/run';
import type { NodeMark, NodeProblems } from '../slots';
import { t } from '../words';

const runs: Record<StepState, { icon: LucideIcon; key: Key }> = {
  running: { icon: LoaderCircle, key: 'canvas.run.running' },
  finished: { icon: CircleCheck, key: 'canvas.run.finished' },
  waiting: { icon: CirclePause, key: 'canvas.run.waiting' },
  stopped: { icon: CircleStop, key: 'canvas.run.stopped' },
  error: { icon: CircleAlert, key: 'canvas.run.error' },
};

const marks: Record<NodeMark, { icon: LucideIcon; key: Key }> = {
  added: { icon: CirclePlus, key: 'canvas.mark.added' },
  removed: { icon: Trash2, key: 'canvas.mark.removed' },
  changed: { icon: PencilLine, key: 'canvas.mark.changed' },
  moved: { icon: Move, key: 'canvas.mark.moved' },
};

interface FaceProps {
  id: string;
  /** What it is called. */
  name: string;
  links?: string;
  /** Lies over what is drawn, which is not inside of it. */
  over?: boolean;
  children: ReactNode;
}

/** A node's face: one button, named with everything its look says. */
export function Face({ id, name, links, over, children }: FaceProps): ReactNode {
  const look = useLook();
  const run = look.run?.states.get(id);
  const mark = look.marks.get(id);
  const problems = look.problems.get(id);
  const error = look.run?.errors.get(id);
  const said = [
    run && t(runs[run].key),
    mark && t(marks[mark].key),
    error,
    problems && t(levels[problems.level].key, { count: problems.issues.length }),
  ];
  return (
    <>
      <button
        type="button"
        data-node={id}
        className={cx(css.face, over && css.over, 'nopan')}
        tabIndex={look.stop === id ? 0 : -1}
        aria-pressed={look.selected === id}
        aria-describedby={links ? `links ${id}`.replaceAll(' ', '-') : undefined}
        onClick={(event) => look.open(id, event)}
        onFocus={() => look.touched(id)}
      >
        {children}
        <span className="sr-only">{said.filter(Boolean).map((one) => `, ${one}`)}</span>
      </button>
      {links && (
        <span id={`links-${id}`.replaceAll(' ', '-')} hidden>
          {links}
        </span>
      )}
      {(mark || problems) && (
        <span className={css.flags} aria-hidden>
          {mark && <Flag icon={marks[mark].icon} tone={mark} />}
          {problems && <ProblemFlag {...problems} />}
        </span>
      )}
      {run && <RunFlag id={id} state={run} name={name} />}
      {error && <Fault text={error} />}
    </>
  );
}

/** Keeps what is clicked as large as on a canvas that is not made smaller, within reason; in steps, so that few are drawn. */
const upscale = ({ transform: [, , zoom] }: { transform: [number, number, number] }): number =>
  Math.min(4, Math.max(1, Math.ceil(10 / zoom) / 10));

/** How a node's newest step stands; it opens what the step did. */
function RunFlag({ id, state, name }: { id: string; state: StepState; name: string }): ReactNode {
  const { run, stop } = useLook();
  const { icon: Icon, key } = runs[state];
  const label = t('canvas.run.open', { name, state: t(key) });
  const scale = useStore(upscale);
  return (
    <button
      type="button"
      className={cx(css.runFlag, css[state], 'nodrag nopan')}
      style={{ scale }}
      tabIndex={stop === id ? 0 : -1}
      aria-label={label}
      title={label}
      onClick={() => run?.open(id)}
    >
      <Icon size={14} aria-hidden />
    </button>
  );
}

/** Why a card failed, below it. */
function Fault({ text }: { text: string }): ReactNode {
  // Letters that grow as far as buttons would leave room for a word or two.
  const fontSize = 12 * Math.min(2.5, useStore(upscale));
  return (
    <span className={css.fault} style={{ fontSize }} title={text} aria-hidden>
      {text}
    </span>
  );
}

/** How grave what is wrong with a card is, and how much of it there is. */
function ProblemFlag({ level, issues }: NodeProblems): ReactNode {
  const { icon: Icon, key } = levels[level];
  return (
    <span className={cx(css.flag, css[`level-${level}`])} title={issues.join('\n')}>
      <Icon size={12} /> {t(key, { count: issues.length })}
    </span>
  );
}

function Flag({ icon: Icon, tone }: { icon: LucideIcon; tone: string }): ReactNode {
  return (
    <span className={cx(css.flag, css[tone])}>
      <Icon size={12} />
    </span>
  );
}

function frame(id: string, look: ReturnType<typeof useLook>, base: string | undefined): string {
  const mark = look.marks.get(id);
  const run = look.run?.states.get(id);
  return cx(
    css.node,
    base,
    look.selected === id && css.open,
    mark && css[`mark-${mark}`],
    run && css[`run-${run}`],
  );
}

function Title({ data }: { data: CardNode['data'] }): ReactNode {
  const kind = kindOf(data.node);
  const label = nodeLabel(data.node);
  const name = cardName(data.node);
  return (
    <span className={css.title}>
      <Tile icon={kind.icon} hue={kind.hue} />
      <span className={css.words}>
        <span className={css.label}>{label}</span>
        {name && <span className={css.sub}>{subtitle(data.node.data) || kindName(data.node)}</span>}
      </span>
    </span>
  );
}

/** What kind of step it is, in the words of its card. */
function kindName(node: CardNode['data']['node']): string {
  const { type } = node.data;
  return isStep(node) && typeof type === 'string' && type ? type : cardName(node);
}

/** What tells one card from another of its kind: the model it uses, as a rule. */
function subtitle(data: Record<string, unknown>): string {
  const inputs = data.inputs;
  if (typeof inputs !== 'object' || inputs === null) return '';
  const all = inputs as Record<string, unknown>;
  for (const [name, value] of Object.entries(all)) {
    if (/^(modelName|model)$/.test(name) && typeof value === 'string' && !value.includes('{{')) return value;
    if (/ModelConfig$/.test(name) && typeof value === 'object' && value !== null && 'modelName' in value)
      return typeof value.modelName === 'string' ? value.modelName : '';
  }
  return '';
}

/**
 * The library finds out where connections meet a card when the size of the card changes. A place that comes or goes
 * without that has to be told, or no line is drawn to it.
 */
function useMeasured(id: string, { ports, looped }: CardNode['data']): void {
  const measure = useUpdateNodeInternals();
  const places = [...ports.inputs, ...ports.outputs, looped && { id: LOOP_IN }]
    .map((one) => one && one.id)
    .join('\n');
  const measured = useRef(places);
  useEffect(() => {
    if (measured.current === places) return;
    measured.current = places;
    measure(id);
  }, [id, places, measure]);
}

/** A card of a chat canvas: its inputs on one side, what it gives on the other. */
export const Card = memo(function Card({ id, data, selected }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  useMeasured(id, data);
  const { inputs, outputs } = data.ports;
  return (
    <div className={cx(frame(id, look, css.card), selected && css.selected)}>
      <Face id={id} name={nodeLabel(data.node)} links={data.links}>
        <Title data={data} />
      </Face>
      {(inputs.length > 0 || outputs.length > 0) && (
        <div className={css.ports} aria-hidden>
          {inputs.map((port) => (
            <Row key={port.id} node={id} port={port} side="target" />
          ))}
          {outputs.map((port) => (
            <Row key={port.id} node={id} port={port} side="source" />
          ))}
        </div>
      )}
    </div>
  );
});

function Row({ node, port, side }: { node: string; port: Port; side: 'source' | 'target' }): ReactNode {
  return (
    <div
      className={cx(css.port, side === 'source' && css.out, port.gone && css.gone)}
      title={port.gone ? t(side === 'target' ? 'canvas.goneInput' : 'canvas.goneOutput') : undefined}
    >
      <Place node={node} handle={port.id} side={side} />
      {port.gone && <TriangleAlert size={12} aria-hidden />}
      {port.gone ? t('canvas.gone', { name: port.label }) : port.label}
    </div>
  );
}

interface PlaceProps {
  node: string;
  handle: string;
  side: 'source' | 'target';
  /** Where along the side, in percent. */
  at?: number;
}

/** Where a connection begins or ends. A click picks it; who drags draws the connection. */
function Place({ node, handle, side, at }: PlaceProps): ReactNode {
  const { editable, from, fits, pick } = useLook();
  const end = { node, handle, side };
  const key = endKey(end);
  const begins = from !== null && endKey(from) === key;
  return (
    <Handle
      type={side}
      id={handle}
      position={side === 'source' ? Position.Right : Position.Left}
      isConnectable={editable}
      className={cx(
        css.handle,
        editable && css.live,
        from && (begins ? css.begins : fits.has(key) ? css.fits : css.unfit),
      )}
      {...(at === undefined ? {} : { style: { top: `${at}%` } })}
      {...(editable ? { onClick: () => pick(end) } : {})}
    />
  );
}

/** A step of an agentflow. */
export const Step = memo(function Step({ id, data, selected }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  const several = data.ports.outputs.length > 1;
  return (
    <div className={cx(frame(id, look, css.step), selected && css.selected)}>
      <Face id={id} name={nodeLabel(data.node)} links={data.links}>
        <Title data={data} />
      </Face>
      {several ? (
        <>
          <Connectors id={id} data={data} outputs={false} />
          <div className={css.ports} aria-hidden>
            {data.ports.outputs.map((port) => (
              <Row key={port.id} node={id} port={port} side="source" />
            ))}
          </div>
        </>
      ) : (
        <Connectors id={id} data={data} />
      )}
    </div>
  );
});

/** Places for edges of a node that does not name them on its face. */
function Connectors(props: { id: string; data: CardNode['data']; outputs?: boolean }): ReactNode {
  const { id, data, outputs = true } = props;
  const { ports, looped, node } = data;
  useMeasured(id, data);
  return (
    <>
      {ports.inputs.map((port) => (
        <Place key={port.id} node={id} handle={port.id} side="target" />
      ))}
      {outputs &&
        ports.outputs.map((port, at) => (
          <Place
            key={port.id}
            node={id}
            handle={port.id}
            side="source"
            at={((at + 1) * 100) / (ports.outputs.length + 1)}
          />
        ))}
      {looped && (
        <Handle
          type="target"
          id={LOOP_IN}
          position={Position.Bottom}
          isConnectable={false}
          className={css.hidden}
        />
      )}
      {cardName(node) === 'loopAgentflow' && (
        <Handle
          type="source"
          id={LOOP_OUT}
          position={Position.Bottom}
          isConnectable={false}
          className={css.hidden}
        />
      )}
    </>
  );
}

export const Note = memo(function Note({ id, data, selected }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  const text = noteText(data.node);
  return (
    <div
      className={cx(frame(id, look, css.note), selected && css.selected)}
      style={{ inlineSize: data.size.width ?? 240, minBlockSize: data.size.height }}
    >
      <Sizer id={id} shown={selected} least={[120, 40]} />
      <Face id={id} name={nodeLabel(data.node)} over>
        <span className="sr-only">{text || nodeLabel(data.node)}</span>
      </Face>
      <div className={css.noteText} aria-hidden>
        {text ? <NoteWords text={text} /> : <span className={css.plainNote}>{nodeLabel(data.node)}</span>}
      </div>
    </div>
  );
});

/** A box around the steps that run for each item. */
export const Area = memo(function Area({ id, data, selected }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  return (
    <div className={cx(frame(id, look, css.area), selected && css.selected)}>
      <Sizer id={id} shown={selected} least={[260, 140]} />
      <Face id={id} name={nodeLabel(data.node)} links={data.links}>
        <Title data={data} />
      </Face>
      <Connectors id={id} data={data} />
    </div>
  );
});

/** Corners to drag a box or a note to another size by. */
function Sizer({ id, shown, least }: { id: string; shown: boolean; least: [number, number] }): ReactNode {
  const { editable, resize } = useLook();
  if (!editable) return null;
  return (
    <NodeResizer
      isVisible={shown}
      minWidth={least[0]}
      minHeight={least[1]}
      lineClassName={css.sizeLine}
      handleClassName={css.sizeCorner}
      onResizeEnd={(_, { x, y, width, height }) => resize(id, { x, y, width, height })}
    />
  );
}
