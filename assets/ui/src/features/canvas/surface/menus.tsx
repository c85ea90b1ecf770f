import {
  Cable,
  ClipboardPaste,
  Copy,
  CopyPlus,
  Group,
  LogOut,
  Maximize,
  PencilLine,
  Plus,
  Replace,
  Settings2,
  SquareDashedMousePointer,
  Trash2,
  Ungroup,
  WandSparkles,
} from 'lucide-react';
import { isNote } from '../../../core/nodes';
import { copyText, toast, type MenuEntry } from '../../../ui';
import { isContainer, nodeIn, type Doc } from '../document/doc';
import { groupOf, isGroup } from '../document/groups';
import { t } from '../words';
import type { Commands } from './useCommands';

export interface MenuOf {
  doc: Doc;
  commands: Commands;
  editable: boolean;
  all: () => void;
  add: () => void;
  fit: () => void;
  zoomOn: (id: string) => void;
  open: (id: string) => void;
  rename: (id: string) => void;
  connect: (id: string) => void;
  inside: (id: string) => void;
  replace: (id: string) => void;
  /** Asks for a card to put into a connection. */
  insert: (edge: string) => void;
  targets: (id: string) => readonly string[];
  removeAll: (ids: readonly string[]) => void;
  centre: () => { x: number; y: number };
}

/** What can be done to a card, or to all that are chosen with it. */
export function cardMenu(of: MenuOf, id: string): MenuEntry[] {
  const { doc, commands, editable } = of;
  const node = nodeIn(doc, id);
  const ids = of.targets(id);
  const note = node ? isNote(node) : false;
  const group = node !== undefined && isGroup(node);
  const copy: MenuEntry = {
    label: t('editor.copy'),
    icon: Copy,
    shortcut: 'Mod+C',
    onSelect: () => void copyText(commands.copy(ids)),
  };
  const settings: MenuEntry = {
    label: t('editor.open'),
    icon: Settings2,
    shortcut: 'Enter',
    onSelect: () => of.open(id),
  };
  const zoom: MenuEntry = {
    label: t('editor.zoomCard'),
    icon: Maximize,
    shortcut: '2',
    onSelect: () => of.zoomOn(id),
  };
  if (!editable) return [settings, zoom, copy];
  return [
    settings,
    zoom,
    (!note || group) && {
      label: t('editor.renameCard'),
      icon: PencilLine,
      shortcut: 'F2',
      onSelect: () => of.rename(id),
    },
    !note && { label: t('editor.connectTo'), icon: Cable, shortcut: 'C', onSelect: () => of.connect(id) },
    !note && { label: t('editor.replace'), icon: Replace, onSelect: () => of.replace(id) },
    node !== undefined &&
      isContainer(node) && { label: t('editor.addInside'), icon: Plus, onSelect: () => of.inside(id) },
    node?.parentId !== undefined && {
      label: t('editor.leaveBox'),
      icon: LogOut,
      onSelect: () => commands.leaveBox(ids),
    },
    'separator',
    ids.length > 1 &&
      !group && {
        label: t('editor.group'),
        icon: Group,
        shortcut: 'Mod+G',
        onSelect: () => commands.group(ids),
      },
    group && {
      label: t('editor.ungroup'),
      icon: Ungroup,
      shortcut: 'Mod+Shift+G',
      onSelect: () => commands.ungroup([id]),
    },
    groupOf(doc, id) !== undefined && {
      label: t('editor.leaveGroup'),
      icon: LogOut,
      onSelect: () => commands.leaveGroup([id]),
    },
    {
      label: t('editor.duplicate'),
      icon: CopyPlus,
      shortcut: 'Mod+D',
      onSelect: () => commands.duplicate(ids),
    },
    copy,
    'separator',
    {
      label: t('editor.delete'),
      icon: Trash2,
      shortcut: 'Delete',
      danger: true,
      onSelect: () => of.removeAll(ids),
    },
  ];
}

/** What can be done to a connection. */
export function edgeMenu({ editable, commands, fit, insert }: MenuOf, edge: string): MenuEntry[] {
  if (!editable) return [{ label: t('canvas.fit'), icon: Maximize, shortcut: '1', onSelect: fit }];
  return [
    { label: t('canvas.insertHere'), icon: Plus, onSelect: () => insert(edge) },
    {
      label: t('canvas.removeEdge'),
      icon: Trash2,
      danger: true,
      onSelect: () => commands.disconnect(edge),
    },
  ];
}

export function canvasMenu(of: MenuOf): MenuEntry[] {
  const { commands, editable } = of;
  const fit: MenuEntry = { label: t('canvas.fit'), icon: Maximize, shortcut: '1', onSelect: of.fit };
  const all: MenuEntry = {
    label: t('editor.selectAll'),
    icon: SquareDashedMousePointer,
    shortcut: 'Mod+A',
    onSelect: of.all,
  };
  if (!editable) return [all, fit];
  return [
    { label: t('editor.addCard'), icon: Plus, shortcut: '/', onSelect: of.add },
    { label: t('editor.paste'), icon: ClipboardPaste, shortcut: 'Mod+V', onSelect: () => void paste(of) },
    'separator',
    all,
    {
      label: t('editor.tidy'),
      icon: WandSparkles,
      shortcut: 'Shift+T',
      onSelect: () => void commands.tidy(),
    },
    fit,
  ];
}

/** From a menu the browser asks before it hands the clipboard over; by keys it does not. */
async function paste({ commands, centre }: MenuOf): Promise<void> {
  try {
    commands.paste(await navigator.clipboard.readText(), centre());
  } catch {
    toast({ text: t('editor.pasteByKeys'), tone: 'danger' });
  }
}
