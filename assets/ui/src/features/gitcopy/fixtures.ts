/** The status of a copy for tests. */
import type { CopyStatus, HostRepository } from '../../api/gitcopy';

export const unconnected: CopyStatus = {
  enabled: true,
  connected: false,
  credential: null,
  repo: null,
  url: null,
  host: 'GitHub',
  hostUrl: 'https://github.com',
  state: 'not-connected',
  message: null,
  waiting: null,
  lastCopiedAt: null,
  lastCopiedVersion: null,
  nextTryAt: null,
  connectedAt: null,
  environment: null,
  role: 'copy',
  lastCheckedAt: null,
  incomingVersion: null,
};

export const statusOf = (part: Partial<CopyStatus> = {}): CopyStatus => ({
  ...unconnected,
  connected: true,
  credential: { id: 'c1', name: 'GitHub: team/flows' },
  repo: 'team/flows',
  url: 'https://github.com/team/flows',
  state: 'up-to-date',
  waiting: 0,
  lastCopiedAt: '2026-01-01T00:00:00Z',
  lastCopiedVersion: 'abcdef0',
  connectedAt: '2026-01-01T00:00:00Z',
  ...part,
});

export const repositoryOf = (repo: string, part: Partial<HostRepository> = {}): HostRepository => ({
  repo,
  private: true,
  empty: true,
  pushedAt: null,
  ...part,
});
