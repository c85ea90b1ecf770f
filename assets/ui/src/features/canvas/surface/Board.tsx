import '../../../styles/flow.css';
import { ReactFlowProvider } from '@xyflow/react';
import type { ReactNode } from 'react';
import type { Card } from '../../../api/cards';
import type { CanvasKind, Doc } from '../document/doc';
import type { DocumentHandle } from '../editing/useDocument';
import type { CanvasRun, NodeMark, NodeProblems } from '../slots';
import { Surface } from './Surface';

export interface BoardProps {
  document: DocumentHandle;
  doc: Doc;
  kind: CanvasKind;
  /** The cards that this canvas is drawn with; empty until they are loaded. */
  cards: readonly Card[];
  label: string;
  selected: string | null;
  onSelect: (id: string | null) => void;
  /** Opens a card with its name to be typed over. */
  onRename: (id: string) => void;
  marks?: ReadonlyMap<string, NodeMark>;
  run?: CanvasRun | null;
  problems: ReadonlyMap<string, NodeProblems>;
  /** Credentials of this workspace; null when they are not known. */
  credentials: ReadonlySet<string> | null;
  /** Beside the canvas stands the list of cards. */
  docked: boolean;
  onDock: () => void;
  /** Puts down the team that a harness is; null on other canvases. */
  onBeginTeam: (() => void) | null;
  /** Takes what puts a card on the canvas from outside. */
  onReady: (board: BoardHandle | null) => void;
}

export interface BoardHandle {
  add: (card: Card) => void;
  /** Asks for a card to put into a box. */
  inside: (id: string) => void;
  /** Asks for a card to put into a connection. */
  insert: (edge: string) => void;
  replace: (id: string) => void;
  connect: (id: string) => void;
  duplicate: (ids: readonly string[]) => void;
}

/** The canvas that is drawn on. */
export default function Board(props: BoardProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Surface {...props} />
    </ReactFlowProvider>
  );
}
