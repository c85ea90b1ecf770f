import type { VersionNotes } from '../../api/versions';
import { t } from './words';

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
