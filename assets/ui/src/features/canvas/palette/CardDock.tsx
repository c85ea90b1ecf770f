import { PanelLeftClose } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Card } from '../../../api/cards';
import { IconButton, Skeleton } from '../../../ui';
import { t } from '../words';
import { Palette } from './Palette';
import css from './Palette.module.css';

export interface CardDockProps {
  /** Empty until they are loaded. */
  cards: readonly Card[];
  onPick: (card: Card) => void;
  onClose: () => void;
}

/** The list of cards beside the canvas. */
export default function CardDock({ cards, onPick, onClose }: CardDockProps): ReactNode {
  return (
    <aside className={css.dock} aria-label={t('editor.cards')}>
      <div className={css.dockHead}>
        <h2>{t('editor.cards')}</h2>
        <IconButton size="compact" icon={PanelLeftClose} label={t('editor.hideCards')} onClick={onClose} />
      </div>
      {cards.length > 0 ? <Palette cards={cards} onPick={onPick} draggable /> : <Skeleton lines={8} />}
    </aside>
  );
}
