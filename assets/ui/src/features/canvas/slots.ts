import type { ComponentType, ReactNode } from 'react';
import type { DraftStatus, Flow } from '../../api/models';
import type { FlowEdits } from '../../core/editing';
import type { Json } from '../../core/nodes';
import type { StepState } from '../../core/run';

/** How a node differs from what it is compared with. */
export type NodeMark = 'added' | 'removed' | 'changed' | 'moved';

/** How much what is wrong with a card matters: it keeps answers from coming, it may make them worse, or it waits to be used. */
export type ProblemLevel = 'error' | 'warning' | 'hint';

export interface NodeProblems {
  level: ProblemLevel;
  issues: readonly string[];
}

/** A run as the canvas shows it. */
export interface CanvasRun {
  /** How the nodes stand. */
  states: ReadonlyMap<string, StepState>;
  /** Why nodes failed. */
  errors: ReadonlyMap<string, string>;
  /** Shows what the newest step of a node did. */
  open: (nodeId: string) => void;
}

export interface View {
  x: number;
  y: number;
  zoom: number;
}

/** The read-only canvas. It fills the box around it, which must have a height. */
export interface CanvasViewProps {
  flowData: string;
  /** What is shown, for screen readers. */
  label: string;
  marks?: ReadonlyMap<string, NodeMark>;
  run?: CanvasRun | null;
  /** Problems by node. */
  problems?: ReadonlyMap<string, NodeProblems>;
  selected?: string | null;
  onSelect?: (id: string | null) => void;
  /** To move two canvases together. Without it the canvas fits itself and keeps its own. */
  view?: View;
  onView?: (view: View) => void;
}

/** What every panel of the flow page gets. A panel may declare fewer of them. */
export interface FlowSlotProps {
  /** The flow as it is Live. */
  flow: Flow;
  /** Its draft status, with the draft's canvas when there is one. */
  status: DraftStatus;
  mayEdit: boolean;
  /** Whether the Editor holds text that was not sent yet. */
  unsaved: boolean;
  /** Sends what is being edited; false when that failed or the text is no canvas. */
  save: () => Promise<boolean>;
  /** Gives up what is being edited: something else takes its place. */
  dropEdits: () => void;
  /** Shows a node: goes to the Editor, selects it, brings it into view. */
  goToNode: (id: string) => void;
  /** Shows on the canvas how a run stands; null takes it away. */
  showRun: (run: CanvasRun | null) => void;
  /** The read-only canvas, loaded when it is first drawn. */
  Canvas: ComponentType<CanvasViewProps>;
}

export interface PanelProps extends FlowSlotProps {
  onClose: () => void;
}

export interface TestProps extends PanelProps {
  /** A question of a conversation that is to be asked once more. */
  question: string;
}

export interface NewCredentialProps {
  /** The kinds that the card takes. */
  kinds: readonly string[];
  onClose: () => void;
  /** One was made; its id. */
  onMade: (id: string) => void;
}

export interface StartProps {
  /** The flow as it is Live. */
  flow: Flow;
  /** What the Start card is set to on the canvas that is drawn. */
  inputs: Json;
  mayEdit: boolean;
}

export interface TellingProps {
  flow: Flow;
  mayEdit: boolean;
  /** The page around the form. */
  children: (told: FlowEdits & { form: ReactNode }) => ReactNode;
}

/** What other features put into the flow page. `app/FlowScreen.tsx` fills it in. */
export interface FlowSlots {
  /** The state chip beside the name. */
  State: ComponentType<FlowSlotProps>;
  /** Below the header: a draft that is out of date, what to fix after a restore. Renders nothing when all is well. */
  Banner: ComponentType<FlowSlotProps>;
  /** The Publish button with its menu and dialogs; renders nothing when the flow has no drafts. */
  Publish: ComponentType<FlowSlotProps>;
  /** The side panel that Test opens. It stays mounted while another tab is shown. */
  Test: ComponentType<TestProps>;
  /** The Runs tab, which pipelines have. */
  Runs: ComponentType<FlowSlotProps>;
  /** The Versions tab; fills the page below the header and scrolls by itself. */
  Versions: ComponentType<FlowSlotProps>;
  /** The Settings tab. */
  Settings: ComponentType<FlowSlotProps>;
  /** The dialog in which a card's credential is made; mounted while it is open. */
  NewCredential: ComponentType<NewCredentialProps>;
  /** What starts the flow from outside, in the panel of its Start card. */
  Start: ComponentType<StartProps>;
  /** Holds what is edited of an assistant; it stays mounted while another tab is shown. */
  Assistant: ComponentType<TellingProps>;
  /** The dialog that API opens; mounted while it is open. */
  Api: ComponentType<PanelProps>;
}
