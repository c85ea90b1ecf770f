/** Versions from Dev for tests. */
import type { IncomingEntry, IncomingFlow, IncomingVersion, PromotionWarning } from '../../api/promotion';

export const incomingVersion = (sha: string, part: Partial<IncomingVersion> = {}): IncomingVersion => ({
  sha: sha.repeat(40).slice(0, 40),
  shortSha: sha.repeat(7).slice(0, 7),
  date: '2026-01-01T00:00:00+01:00',
  author: 'Ada',
  title: 'Published: Prompt changed',
  details: [],
  ...part,
});

export const entryOf = (part: Partial<IncomingEntry> = {}): IncomingEntry => ({
  flowId: 'f1',
  name: 'Support',
  type: 'CHATFLOW',
  status: 'update',
  version: incomingVersion('a'),
  changes: [incomingVersion('a')],
  moreChanges: false,
  hasDraft: false,
  lastPromoted: null,
  ...part,
});

export const incomingOf = (part: Partial<IncomingFlow> = {}): IncomingFlow => ({
  ...entryOf(),
  diff: {
    added: [],
    removed: [],
    changed: [],
    moved: [],
    edgesChanged: false,
    renamed: null,
    sentences: ['Prompt changed.'],
    sha: 'a'.repeat(40),
    against: 'current',
  },
  flowData: '{"nodes":[],"edges":[]}',
  missingCredentials: [],
  ambiguousCredentials: [],
  hiddenSecrets: 0,
  checkUnavailable: null,
  warnings: [],
  digest: 'd1',
  ...part,
});

export const warningOf = (
  code: PromotionWarning['code'],
  message: string,
  part: Partial<PromotionWarning> = {},
): PromotionWarning => ({ code, message, blocking: false, ...part });
