/** Which warnings of a version are told where, without React. */
import type { PromotionWarning } from '../../api/promotion';
import { parseFlow } from '../../core/flowdata';
import { nodeLabel } from '../../core/nodes';

/** Those of the list, what will fail first. Credentials of one name have a place of their own. */
export const toShow = (warnings: readonly PromotionWarning[]): PromotionWarning[] =>
  warnings
    .filter(({ code }) => code !== 'credential-ambiguous')
    .sort((a, b) => Number(b.blocking) - Number(a.blocking));

/** What the cards of a canvas are called, by their ids. */
export function cardNames(flowData: string): ReadonlyMap<string, string> {
  const read = parseFlow(flowData);
  return new Map(read.ok ? read.flow.nodes.map((node) => [node.id, nodeLabel(node)]) : []);
}

/** Those that are confirmed one by one. */
export const toConfirm = (warnings: readonly PromotionWarning[]): PromotionWarning[] =>
  warnings.filter(({ blocking }) => blocking);
