import type { ShortcutGroup } from '../../../core/actions';
import { isTyping } from '../../../core/actions';
import type { Direction } from '../../../core/nodes';
import { letterKeysOn } from '../../../core/prefs';
import { GRID } from '../document/arrange';
import { t } from '../words';
import type { Commands } from './useCommands';

export interface KeyTargets {
  commands: Commands;
  /** The chosen nodes, or the one that has the focus. */
  targets: (focused: string | undefined) => readonly string[];
  editable: boolean;
  all: () => void;
  escape: () => boolean;
  add: () => void;
  find: () => void;
  connect: (id: string) => void;
  open: (id: string) => void;
  rename: (id: string) => void;
  walk: (from: string, direction: Direction) => void;
  edge: (end: 'first' | 'last') => void;
  zoom: (how: 'fit' | 'one' | 'in' | 'out') => void;
  zoomOn: (id: string) => void;
}

const arrows: Record<string, [Direction, number, number]> = {
  ArrowLeft: ['left', -1, 0],
  ArrowRight: ['right', 1, 0],
  ArrowUp: ['up', 0, -1],
  ArrowDown: ['down', 0, 1],
};
const FAR = 5;

/** Does what a key means on the canvas; false when it means nothing. */
export function pressKey(event: React.KeyboardEvent, on: KeyTargets): boolean {
  if (isTyping(event.target)) return false;
  const focused = (event.target as HTMLElement).dataset.node;
  const mod = event.ctrlKey || event.metaKey;
  if (mod) return withMod(event, on, focused);
  const arrow = arrows[event.key];
  if (arrow && focused) {
    const [direction, x, y] = arrow;
    if (event.altKey || !on.editable) on.walk(focused, direction);
    else {
      const by = GRID * (event.shiftKey ? FAR : 1);
      on.commands.nudge(on.targets(focused), x * by, y * by);
    }
    return true;
  }
  switch (event.key) {
    case 'Home':
    case 'End':
      if (!focused) return false;
      on.edge(event.key === 'Home' ? 'first' : 'last');
      return true;
    case 'Escape':
      return on.escape();
    case 'Delete':
    case 'Backspace':
      if (!on.editable) return false;
      on.commands.remove(on.targets(focused));
      return true;
    case 'F2':
      if (!focused || !on.editable) return false;
      on.rename(focused);
      return true;
  }
  return !event.altKey && letterKeysOn() && withLetter(event, on, focused);
}

function withMod(event: React.KeyboardEvent, on: KeyTargets, focused: string | undefined): boolean {
  const key = event.key.toLowerCase();
  if (key === 'f') on.find();
  else if (key === 'a') on.all();
  else if (!on.editable) return false;
  else if (key === 'z' && event.shiftKey) on.commands.redo();
  else if (key === 'z') on.commands.undo();
  else if (key === 'y') on.commands.redo();
  else if (key === 'd') on.commands.duplicate(on.targets(focused));
  else if (key === 'g' && event.shiftKey) on.commands.ungroup(on.targets(focused));
  else if (key === 'g') on.commands.group(on.targets(focused));
  else return false;
  return true;
}

function withLetter(event: React.KeyboardEvent, on: KeyTargets, focused: string | undefined): boolean {
  switch (event.key) {
    case '1':
      on.zoom('fit');
      return true;
    case '2':
      if (!focused) return false;
      on.zoomOn(focused);
      return true;
    case '0':
      on.zoom('one');
      return true;
    case '+':
      on.zoom('in');
      return true;
    case '-':
      on.zoom('out');
      return true;
  }
  if (!on.editable) return false;
  if (event.key === '/') on.add();
  else if (event.key === 'c' && focused) on.connect(focused);
  else if (event.key === 'T' && event.shiftKey) void on.commands.tidy();
  else return false;
  return true;
}

const key = (keys: string, label: string): ShortcutGroup['keys'][number] => ({ keys, label });

export const boardKeys = (): ShortcutGroup[] => [
  {
    title: t('canvas.canvas'),
    keys: [
      key('/', t('editor.addCard')),
      key('Enter', t('editor.openCard')),
      key('F2', t('editor.renameCard')),
      key('C', t('editor.connectTo')),
      key('Delete', t('editor.delete')),
      key('Mod+Z', t('editor.undo')),
      key('Mod+Shift+Z', t('editor.redo')),
      key('Mod+Y', t('editor.redo')),
      key('Mod+C', t('editor.copy')),
      key('Mod+X', t('editor.cut')),
      key('Mod+V', t('editor.paste')),
      key('Mod+D', t('editor.duplicate')),
      key('Mod+G', t('editor.group')),
      key('Mod+Shift+G', t('editor.ungroup')),
      key('Mod+A', t('editor.selectAll')),
      key('Mod+F', t('editor.find')),
      key('Escape', t('editor.letGo')),
    ],
  },
  {
    title: t('editor.keysOfView'),
    keys: [
      key('Right', t('editor.nudge')),
      key('Shift+Right', t('editor.nudgeFar')),
      key('Alt+Right', t('editor.walk')),
      key('Home', t('editor.firstCard')),
      key('End', t('editor.lastCard')),
      key('1', t('canvas.fit')),
      key('2', t('editor.zoomCard')),
      key('0', t('editor.zoomOne')),
      key('Plus', t('canvas.zoomIn')),
      key('-', t('canvas.zoomOut')),
      key('Shift+T', t('editor.tidy')),
    ],
  },
];
