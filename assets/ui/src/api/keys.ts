/** Names of cached answers. The first word is the resource, so that `invalidate` reaches all of it. */
export const cached = {
  me: ['me'],
  start: ['start'],
  settings: ['settings'],
  incoming: ['incoming'],
  flows: ['flows'],
  flow: (id: string) => ['flows', id],
  draft: (id: string) => ['drafts', id],
  schedule: (id: string) => ['schedule', id],
  problems: (id: string) => ['problems', id],
  sessions: ['sessions'],
} as const;
