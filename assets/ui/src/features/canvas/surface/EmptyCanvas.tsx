import { Network, Plus, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, EmptyState } from '../../../ui';
import { t } from '../words';
import css from './Board.module.css';

export interface EmptyCanvasProps {
  editable: boolean;
  onAdd: () => void;
  /** Puts down the team that a harness is; null on other canvases. */
  onBeginTeam: (() => void) | null;
}

/** What stands where nothing is drawn yet: what this canvas is for, and how to begin. */
export function EmptyCanvas({ editable, onAdd, onBeginTeam }: EmptyCanvasProps): ReactNode {
  return (
    <div className={css.start}>
      {!editable ? (
        <EmptyState icon={Workflow} title={t('canvas.empty')}>
          {t('editor.emptyReadOnly')}
        </EmptyState>
      ) : onBeginTeam ? (
        <EmptyState
          icon={Network}
          title={t('editor.emptyTeam')}
          actions={
            <Button variant="primary" icon={Plus} onClick={onBeginTeam}>
              {t('editor.beginTeam')}
            </Button>
          }
        >
          {t('editor.emptyTeamText')}
        </EmptyState>
      ) : (
        <EmptyState
          icon={Workflow}
          title={t('canvas.empty')}
          actions={
            <Button variant="primary" icon={Plus} onClick={onAdd}>
              {t('editor.addCard')}
            </Button>
          }
        >
          {t('editor.emptyText')}
        </EmptyState>
      )}
    </div>
  );
}
