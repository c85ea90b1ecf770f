import { Cable, CirclePlus, Move, PencilLine, Trash2, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { list } from '../../core/format';
import type { CanvasDiff } from '../../core/canvasDiff';
import { scrollRegion, Switch } from '../../ui';
import css from './Editor.module.css';
import { t } from './words';

export interface ChangeListProps {
  diff: CanvasDiff;
  shown: boolean;
  onShow: (shown: boolean) => void;
  onGo: (id: string) => void;
}

/** What the draft changes against Live. */
export default function ChangeList({ diff, shown, onShow, onGo }: ChangeListProps): ReactNode {
  const moved = diff.moved.filter((one) => !diff.changed.some((other) => other.id === one.id));
  return (
    <>
      <div className={css.listHead}>
        <h2>{t('canvas.changes')}</h2>
        <Switch checked={shown} onChange={onShow} label={t('canvas.showOnCanvas')} />
      </div>
      <ul ref={scrollRegion} className={css.list}>
        {diff.added.map((one) => (
          <Entry
            key={one.id}
            icon={CirclePlus}
            text={one.label}
            note={t('canvas.mark.added')}
            go={() => onGo(one.id)}
          />
        ))}
        {diff.changed.map((one) => (
          <Entry
            key={one.id}
            icon={PencilLine}
            text={one.label}
            note={list(one.fields.map((field) => field.label))}
            go={() => onGo(one.id)}
          />
        ))}
        {moved.map((one) => (
          <Entry
            key={one.id}
            icon={Move}
            text={one.label}
            note={t('canvas.mark.moved')}
            go={() => onGo(one.id)}
          />
        ))}
        {diff.removed.map((one) => (
          <Entry key={one.id} icon={Trash2} text={one.label} note={t('canvas.mark.removed')} />
        ))}
        {diff.edges.map((edge, at) => (
          <Entry
            key={at}
            icon={Cable}
            text={t('canvas.edge', { from: edge.from, to: edge.to })}
            note={t(edge.kind === 'added' ? 'canvas.mark.added' : 'canvas.mark.removed')}
          />
        ))}
      </ul>
    </>
  );
}

interface EntryProps {
  icon: LucideIcon;
  text: string;
  note: string;
  go?: () => void;
}

function Entry({ icon: Icon, text, note, go }: EntryProps): ReactNode {
  const words = (
    <>
      <Icon size={14} aria-hidden />
      <span>
        {text}
        <small>{note}</small>
      </span>
    </>
  );
  return (
    <li>
      {go ? (
        <button type="button" className={css.entry} onClick={go}>
          {words}
        </button>
      ) : (
        <div className={css.entry}>{words}</div>
      )}
    </li>
  );
}
