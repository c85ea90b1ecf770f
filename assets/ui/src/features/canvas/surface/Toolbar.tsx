import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalSpaceAround,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalSpaceAround,
  Copy,
  Group,
  PanelLeft,
  Plus,
  Redo2,
  Search,
  Trash2,
  Undo2,
  WandSparkles,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Button, IconButton, Menu } from '../../../ui';
import type { Doc } from '../document/doc';
import type { DocumentHandle } from '../editing/useDocument';
import { t } from '../words';
import css from './Board.module.css';
import { FindBar } from './FindBar';
import type { Commands } from './useCommands';

export interface ToolbarProps {
  document: DocumentHandle;
  doc: Doc;
  commands: Commands;
  chosen: readonly string[];
  docked: boolean;
  finding: boolean;
  onFinding: (open: boolean) => void;
  onFound: (id: string) => void;
  onAdd: () => void;
  onDock: () => void;
}

/** What can be done to the whole canvas, and to what is chosen on it. */
export const Toolbar = memo(function Toolbar(props: ToolbarProps): ReactNode {
  const { document, doc, commands, chosen, docked, finding, onFinding, onFound, onAdd, onDock } = props;
  return (
    <div className={css.tools} role="toolbar" aria-label={t('editor.tools')}>
      {document.open && (
        <>
          {!docked && (
            <IconButton size="compact" icon={PanelLeft} label={t('editor.showCards')} onClick={onDock} />
          )}
          <Button size="compact" variant="ghost" icon={Plus} onClick={onAdd} aria-keyshortcuts="/">
            {t('editor.addCard')}
          </Button>
          <IconButton
            size="compact"
            icon={Undo2}
            label={t('editor.undo')}
            shortcut="Mod+Z"
            disabled={!document.canUndo}
            onClick={commands.undo}
          />
          <IconButton
            size="compact"
            icon={Redo2}
            label={t('editor.redo')}
            shortcut="Mod+Shift+Z"
            disabled={!document.canRedo}
            onClick={commands.redo}
          />
        </>
      )}
      <FindBar
        doc={doc}
        open={finding}
        onOpen={onFinding}
        onGo={onFound}
        trigger={<IconButton size="compact" icon={Search} label={t('editor.find')} shortcut="Mod+F" />}
      />
      {document.open && (
        <>
          <IconButton
            size="compact"
            icon={WandSparkles}
            label={t('editor.tidy')}
            shortcut="Shift+T"
            disabled={doc.nodes.length < 2}
            onClick={() => void commands.tidy()}
          />
          {chosen.length > 1 && (
            <div
              className={css.chosen}
              role="group"
              aria-label={t('editor.chosen', { count: chosen.length })}
            >
              <span className={css.count}>{t('editor.chosen', { count: chosen.length })}</span>
              <Menu
                label={t('editor.align')}
                align="start"
                items={[
                  {
                    label: t('editor.align.left'),
                    icon: AlignStartVertical,
                    onSelect: () => commands.align('left'),
                  },
                  {
                    label: t('editor.align.centre'),
                    icon: AlignCenterVertical,
                    onSelect: () => commands.align('centre'),
                  },
                  {
                    label: t('editor.align.right'),
                    icon: AlignEndVertical,
                    onSelect: () => commands.align('right'),
                  },
                  'separator',
                  {
                    label: t('editor.align.top'),
                    icon: AlignStartHorizontal,
                    onSelect: () => commands.align('top'),
                  },
                  {
                    label: t('editor.align.middle'),
                    icon: AlignCenterHorizontal,
                    onSelect: () => commands.align('middle'),
                  },
                  {
                    label: t('editor.align.bottom'),
                    icon: AlignEndHorizontal,
                    onSelect: () => commands.align('bottom'),
                  },
                  'separator',
                  {
                    label: t('editor.spreadAcross'),
                    icon: AlignHorizontalSpaceAround,
                    disabled: chosen.length < 3,
                    onSelect: () => commands.distribute('x'),
                  },
                  {
                    label: t('editor.spreadDown'),
                    icon: AlignVerticalSpaceAround,
                    disabled: chosen.length < 3,
                    onSelect: () => commands.distribute('y'),
                  },
                ]}
              >
                <IconButton size="compact" icon={AlignStartVertical} label={t('editor.align')} />
              </Menu>
              <IconButton
                size="compact"
                icon={Group}
                label={t('editor.group')}
                shortcut="Mod+G"
                onClick={() => commands.group(chosen)}
              />
              <IconButton
                size="compact"
                icon={Copy}
                label={t('editor.duplicate')}
                shortcut="Mod+D"
                onClick={() => commands.duplicate(chosen)}
              />
              <IconButton
                size="compact"
                icon={Trash2}
                label={t('editor.delete')}
                shortcut="Delete"
                onClick={() => commands.remove(chosen)}
              />
            </div>
          )}
        </>
      )}
    </div>
  );
});
