import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../../ui';
import { t } from '../words';
import css from './Panel.module.css';

export interface CardLineProps {
  name: string;
  /** Before the name: what it has to do with this card. */
  lead?: string;
  onGo: () => void;
  /** What is wrong with it. */
  fault?: string | undefined;
  /** What puts another card between the two; not offered without. */
  between?: { label: string; run: () => void } | null;
  /** What takes it away; not offered without. */
  leave?: { label: string; run: () => void } | null;
}

/** Another card in a list of the panel: to go there, and to part with it. */
export function CardLine({ name, lead, fault, onGo, between, leave }: CardLineProps): ReactNode {
  return (
    <li className={css.wire}>
      {lead !== undefined && <span className="note">{lead}</span>}
      <button type="button" className={css.wireName} onClick={onGo} aria-label={t('canvas.goTo', { name })}>
        {name}
      </button>
      <span className={css.wireTools}>
        {between && <IconButton size="compact" icon={Plus} label={between.label} onClick={between.run} />}
        {leave && <IconButton size="compact" icon={X} label={leave.label} onClick={leave.run} />}
      </span>
      {fault && <p className={css.wireFault}>{fault}</p>}
    </li>
  );
}
