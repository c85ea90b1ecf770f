import { Handle, Position, type NodeProps } from '@xyflow/react';
import {
  CircleAlert,
  CircleCheck,
  CirclePause,
  CirclePlus,
  LoaderCircle,
  Move,
  PencilLine,
  StickyNote,
  Trash2,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { cardName, nodeLabel, noteText, type Port } from '../../core/nodes';
import { t, type Key } from '../../i18n';
import { cx, Tile } from '../../ui';
import css from './Canvas.module.css';
import type { CardNode } from './graph';
import { kindOf } from './kinds';
import { useLook } from './look';
import type { NodeMark, RunState } from './slots';

const runs: Record<RunState, { icon: LucideIcon; key: Key }> = {
  running: { icon: LoaderCircle, key: 'canvas.run.running' },
  finished: { icon: CircleCheck, key: 'canvas.run.finished' },
  stopped: { icon: CirclePause, key: 'canvas.run.stopped' },
  error: { icon: CircleAlert, key: 'canvas.run.error' },
};

const marks: Record<NodeMark, { icon: LucideIcon; key: Key }> = {
  added: { icon: CirclePlus, key: 'canvas.mark.added' },
  removed: { icon: Trash2, key: 'canvas.mark.removed' },
  changed: { icon: PencilLine, key: 'canvas.mark.changed' },
  moved: { icon: Move, key: 'canvas.mark.moved' },
};

/** A node's face: one button, named with everything its look says. */
function Face({ id, children }: { id: string; children: ReactNode }): ReactNode {
  const look = useLook();
  const run = look.run.get(id);
  const mark = look.marks.get(id);
  const problems = look.problems.get(id) ?? [];
  const said = [
    run && t(runs[run].key),
    mark && t(marks[mark].key),
    problems.length > 0 && t('canvas.problems', { count: problems.length }),
  ];
  return (
    <>
      <button
        type="button"
        data-node={id}
        className={cx(css.face, 'nopan')}
        tabIndex={look.stop === id ? 0 : -1}
        aria-pressed={look.selected === id}
        onClick={() => look.open(id)}
        onFocus={() => look.touched(id)}
      >
        {children}
        <span className="sr-only">{said.filter(Boolean).map((one) => `, ${one}`)}</span>
      </button>
      {(run || mark || problems.length > 0) && (
        <span className={css.flags} aria-hidden>
          {mark && <Flag icon={marks[mark].icon} tone={mark} />}
          {problems.length > 0 && (
            <span className={cx(css.flag, css.problem)} title={problems.join('\n')}>
              <TriangleAlert size={12} /> {problems.length}
            </span>
          )}
          {run && <Flag icon={runs[run].icon} tone={run} />}
        </span>
      )}
    </>
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
  return cx(
    css.node,
    base,
    look.selected === id && css.selected,
    mark && css[`mark-${mark}`],
    look.run.get(id) && css[`run-${look.run.get(id) ?? ''}`],
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
        {name && <span className={css.sub}>{subtitle(data.node.data) || name}</span>}
      </span>
    </span>
  );
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

/** A card of a chat canvas: its inputs on one side, what it gives on the other. */
export const Card = memo(function Card({ id, data }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  const { inputs, outputs } = data.ports;
  return (
    <div className={frame(id, look, css.card)}>
      <Face id={id}>
        <Title data={data} />
      </Face>
      {(inputs.length > 0 || outputs.length > 0) && (
        <div className={css.ports} aria-hidden>
          {inputs.map((port) => (
            <Row key={port.id} port={port} side="target" />
          ))}
          {outputs.map((port) => (
            <Row key={port.id} port={port} side="source" />
          ))}
        </div>
      )}
    </div>
  );
});

function Row({ port, side }: { port: Port; side: 'source' | 'target' }): ReactNode {
  return (
    <div className={cx(css.port, side === 'source' && css.out)}>
      <Handle
        type={side}
        id={port.id}
        position={side === 'source' ? Position.Right : Position.Left}
        isConnectable={false}
        className={css.handle}
      />
      {port.label}
    </div>
  );
}

/** A step of an agentflow. */
export const Step = memo(function Step({ id, data }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  return (
    <div className={frame(id, look, css.step)}>
      <Face id={id}>
        <Title data={data} />
      </Face>
      <Connectors data={data} />
    </div>
  );
});

/** Places for edges of a node that does not name them on its face. */
function Connectors({ data }: { data: CardNode['data'] }): ReactNode {
  const { inputs, outputs } = data.ports;
  return (
    <>
      {inputs.map((port) => (
        <Handle
          key={port.id}
          type="target"
          id={port.id}
          position={Position.Left}
          isConnectable={false}
          className={css.handle}
        />
      ))}
      {outputs.map((port, at) => (
        <Handle
          key={port.id}
          type="source"
          id={port.id}
          position={Position.Right}
          isConnectable={false}
          className={css.handle}
          style={{ top: `${((at + 1) * 100) / (outputs.length + 1)}%` }}
        />
      ))}
    </>
  );
}

export const Note = memo(function Note({ id, data }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  return (
    <div className={frame(id, look, css.note)} style={{ inlineSize: data.size.width ?? 240 }}>
      <Face id={id}>
        <span className={css.noteText}>
          <StickyNote size={13} aria-hidden />
          {noteText(data.node) || nodeLabel(data.node)}
        </span>
      </Face>
    </div>
  );
});

/** A box around the steps that run for each item. */
export const Area = memo(function Area({ id, data }: NodeProps<CardNode>): ReactNode {
  const look = useLook();
  return (
    <div className={frame(id, look, css.area)}>
      <Face id={id}>
        <Title data={data} />
      </Face>
      <Connectors data={data} />
    </div>
  );
});
