import type { CardProblem } from '../../api/canvas';
import type { VersionNotes } from '../../api/versions';
import { diffCanvas } from '../../core/canvasDiff';
import { parseFlow } from '../../core/flowdata';
import { t } from '../../i18n';

/** What the service finds wrong with the draft, and secrets in it that were never entered again. */
export function problemsOf(found: readonly CardProblem[], live: string, draft: string): CardProblem[] {
  const diff = diffCanvas(live, draft);
  // The service judges Live: what it says holds for the draft where the card is the same. Goes when it reads drafts.
  const touched = new Set([...diff.changed, ...diff.removed, ...diff.added].map((node) => node.id));
  const rewired = diff.edges.length > 0 || diff.added.length > 0 || diff.removed.length > 0;
  const still = found.filter((one) => (one.id ? !touched.has(one.id) : !rewired));
  return [...still, ...hiddenIn(draft)];
}

/** What history puts in place of a secret. */
const HIDDEN = '[secret hidden]';

function hiddenIn(draft: string): CardProblem[] {
  const read = parseFlow(draft);
  if (!read.ok) return [];
  return read.flow.nodes.flatMap(({ id, data }) => {
    const inputs = data.inputs;
    if (typeof inputs !== 'object' || inputs === null || !JSON.stringify(inputs).includes(HIDDEN)) return [];
    const [label, name] = [data.label, data.name].map((text) => (typeof text === 'string' ? text : ''));
    const issues = Object.entries(inputs)
      .filter(([, value]) => JSON.stringify(value)?.includes(HIDDEN))
      .map(([input]) => t('publish.fix.hidden', { input, label: label || id }));
    return [{ id, label: label || id, name: name ?? '', issues }];
  });
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
