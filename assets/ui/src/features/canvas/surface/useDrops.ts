import { useReactFlow } from '@xyflow/react';
import type { DragEvent } from 'react';
import type { Card } from '../../../api/cards';
import { DRAG_TYPE } from '../palette/Palette';
import type { Adding } from './useAdding';
import type { Commands } from './useCommands';

export interface DropsOf {
  editable: boolean;
  cards: readonly Card[];
  adding: Adding;
  commands: Commands;
}

export interface Drops {
  onDragOver: (event: DragEvent) => void;
  onDrop: (event: DragEvent) => void;
}

/** What is let go over the canvas: a card of the list, also onto a connection that it then lies in, or a file of cards. */
export function useDrops({ editable, cards, adding, commands }: DropsOf): Drops {
  const { screenToFlowPosition } = useReactFlow();
  return {
    onDragOver: (event) => {
      const { types } = event.dataTransfer;
      if (!editable || !(types.includes(DRAG_TYPE) || types.includes('Files'))) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    },
    onDrop: (event) => {
      if (!editable) return;
      const at = screenToFlowPosition({ x: event.clientX, y: event.clientY });
      const [file] = event.dataTransfer.files;
      if (file) {
        event.preventDefault();
        void file.text().then((text) => commands.paste(text, at));
        return;
      }
      const card = cards.find((one) => one.name === event.dataTransfer.getData(DRAG_TYPE));
      if (!card) return;
      event.preventDefault();
      const edge = edgeAt(event.clientX, event.clientY);
      if (!edge || !adding.insert(card, edge, at)) adding.put(card, at, true);
    },
  };
}

/** The connection under a place of the screen, unless a card covers it. */
function edgeAt(x: number, y: number): string | null {
  const [first] = document
    .elementsFromPoint(x, y)
    .map((one) => one.closest('.react-flow__edge, .react-flow__node'))
    .filter((one) => one !== null);
  return edgeOf(first);
}

/** The connection that an element is of; the line of a Loop stands for none. */
export function edgeOf(element: Element | null | undefined): string | null {
  const id = element?.closest('.react-flow__edge')?.getAttribute('data-id');
  return id && !id.startsWith('loop ') ? id : null;
}
