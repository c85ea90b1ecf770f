import {
  Blocks,
  Bot,
  BrainCircuit,
  Braces,
  CirclePlay,
  CornerUpLeft,
  Database,
  FileText,
  GitBranch,
  Globe,
  Library,
  Link2,
  MemoryStick,
  MessageSquareReply,
  Network,
  Puzzle,
  Repeat,
  ScanSearch,
  ScrollText,
  Shield,
  Sparkles,
  Group,
  StickyNote,
  UserRound,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import type { FlowNode } from '../../../core/flowdata';
import { isGroup } from '../document/groups';
import type { Hue } from '../../../ui';

export interface Kind {
  hue: Hue;
  icon: LucideIcon;
}

/** Steps of an agentflow, by the name of their card. */
const steps: Record<string, Kind> = {
  startAgentflow: { hue: 'start', icon: CirclePlay },
  llmAgentflow: { hue: 'model', icon: Sparkles },
  agentAgentflow: { hue: 'agent', icon: Bot },
  toolAgentflow: { hue: 'tool', icon: Blocks },
  retrieverAgentflow: { hue: 'retriever', icon: Library },
  conditionAgentflow: { hue: 'condition', icon: GitBranch },
  conditionAgentAgentflow: { hue: 'condition', icon: GitBranch },
  httpAgentflow: { hue: 'http', icon: Globe },
  customFunctionAgentflow: { hue: 'code', icon: Braces },
  directReplyAgentflow: { hue: 'reply', icon: MessageSquareReply },
  humanInputAgentflow: { hue: 'human', icon: UserRound },
  loopAgentflow: { hue: 'condition', icon: CornerUpLeft },
  iterationAgentflow: { hue: 'condition', icon: Repeat },
  executeFlowAgentflow: { hue: 'agent', icon: Workflow },
  stickyNoteAgentflow: { hue: 'tool', icon: StickyNote },
  stickyNote: { hue: 'tool', icon: StickyNote },
};

/** Cards of a chat canvas, by the first category that fits. */
const categories: readonly [RegExp, Kind][] = [
  [/^(chat models|llms)/i, { hue: 'model', icon: Sparkles }],
  [/^embeddings/i, { hue: 'model', icon: BrainCircuit }],
  [/^harness/i, { hue: 'agent', icon: Network }],
  [/agents/i, { hue: 'agent', icon: Bot }],
  [/^(chains|engine)/i, { hue: 'agent', icon: Link2 }],
  [/^tools/i, { hue: 'tool', icon: Blocks }],
  [/^vector stores|^record manager/i, { hue: 'retriever', icon: Database }],
  [/^retrievers/i, { hue: 'retriever', icon: ScanSearch }],
  [/^(document loaders|text splitters)/i, { hue: 'retriever', icon: FileText }],
  [/^(memory|cache)/i, { hue: 'human', icon: MemoryStick }],
  [/^prompts/i, { hue: 'reply', icon: ScrollText }],
  [/^output parsers/i, { hue: 'code', icon: Braces }],
  [/^moderation/i, { hue: 'condition', icon: Shield }],
  [/^utilities/i, { hue: 'code', icon: Braces }],
];

const other: Kind = { hue: 'none', icon: Puzzle };

export const kindOf = (node: FlowNode): Kind =>
  isGroup(node) ? { hue: 'none', icon: Group } : kindOfCard(node.data);

/** By what a card says of itself, on a canvas or off it. */
export function kindOfCard({ name, category }: { name?: unknown; category?: unknown }): Kind {
  const step = typeof name === 'string' ? steps[name] : undefined;
  if (step) return step;
  const text = typeof category === 'string' ? category : '';
  return categories.find(([pattern]) => pattern.test(text))?.[1] ?? other;
}
