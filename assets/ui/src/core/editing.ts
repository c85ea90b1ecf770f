/** How what is edited of a flow stands to what is stored. */
export type SavedState = 'saved' | 'unsaved' | 'saving' | 'offline' | 'conflict' | 'failed' | 'readonly';

/** What is edited of a flow, on its canvas or in a form. */
export interface FlowEdits {
  state: SavedState;
  unsaved: boolean;
  save: () => Promise<boolean>;
  drop: () => void;
}
