import type { CardProblem } from '../../api/canvas';
import type { VersionNotes } from '../../api/versions';
import { inputOf, labelOf } from '../../core/canvasDiff';
import { parseFlow } from '../../core/flowdata';
import { t } from '../../i18n';

/** What history puts in place of a secret. */
const HIDDEN = '[secret hidden]';

/** What the service finds wrong with the draft, and secrets in it that were never entered again. */
export function problemsOf(found: readonly CardProblem[], draft: string): CardProblem[] {
  const read = parseFlow(draft);
  if (!read.ok) return [...found];
  const hidden = read.flow.nodes.flatMap((node) => {
    const inputs = node.data.inputs;
    if (typeof inputs !== 'object' || inputs === null) return [];
    const label = labelOf(node);
    const issues = Object.entries(inputs)
      .filter(([, value]) => JSON.stringify(value)?.includes(HIDDEN))
      .map(([name]) => {
        const input = inputOf(node, name)?.label;
        return t('publish.fix.hidden', { input: typeof input === 'string' ? input : name, label });
      });
    return issues.length > 0 ? [{ id: node.id, label, name: '', issues }] : [];
  });
  return [...found, ...hidden];
}

export interface Fix {
  text: string;
  /** The node to go to, where one is known. */
  node: string | null;
}

/** What a person must put right after a version was put back. A credential that was picked well is no work. */
export function fixes(notes: VersionNotes): Fix[] {
  return [
    ...notes.missingCredentials.map(({ name, credentialName }) => ({
      text: t('publish.fix.missing', { name, type: credentialName }),
      node: null,
    })),
    ...notes.ambiguousCredentials
      .filter((one) => one.using === 'oldest')
      .map(({ name, credentialName, count }) => ({
        text: t('publish.fix.ambiguous', { name, type: credentialName, count }),
        node: null,
      })),
    ...notes.hiddenSecrets.map(({ node, label, input, inputLabel }) => ({
      text: t('publish.fix.hidden', { input: inputLabel || input, label }),
      node,
    })),
  ];
}
