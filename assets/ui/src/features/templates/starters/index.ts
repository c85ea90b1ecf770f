import type { Recipe } from '../../../core/recipe';
import { asking } from './asking';
import { steps } from './steps';
import { started } from './started';

/** What starters are for; the gallery is sorted by it. */
export type Use = 'support' | 'documents' | 'agents' | 'text' | 'control' | 'data' | 'events';

export const uses: readonly Use[] = ['support', 'documents', 'agents', 'text', 'control', 'data', 'events'];

export interface RecipeStarter extends Recipe {
  id: StarterName;
  use: Use;
  /** What it needs besides a model before it answers. */
  needs?: 'database';
  /** It answers without a model. */
  alone?: boolean;
  /** Without a provider, this model answers. */
  builtIn?: 'chatExtractive' | 'chatScripted';
}

export type StarterName =
  | 'answers'
  | 'brief'
  | 'critic'
  | 'daily'
  | 'each'
  | 'experts'
  | 'extract'
  | 'form'
  | 'guard'
  | 'hook'
  | 'import'
  | 'lookup'
  | 'order'
  | 'recap'
  | 'table'
  | 'sql'
  | 'team'
  | 'translate'
  | 'triage';

/** The starters of this page, beside those that the service brings. */
export const starters: readonly RecipeStarter[] = [...asking, ...steps, ...started];
