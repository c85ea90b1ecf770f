import { expect, it } from 'vitest';
import type { ServerStatus } from '../../api/service';
import { setLocale } from '../../core/format';
import { partsOf } from './health';

setLocale('en-US');
const now = Date.parse('2026-11-29T12:00:00Z');
const status = (change: Partial<ServerStatus> = {}): ServerStatus => ({
  version: '1.2.3',
  startedAt: '2026-11-29T10:00:00Z',
  uptimeSeconds: 7200,
  environment: null,
  settings: [],
  disk: { folder: 'data', bytes: 5_000_000, free: null },
  database: { state: 'well', bytes: 1_400_000, error: null },
  history: { state: 'well', versions: 1, bytes: 20_000, error: null },
  copy: null,
  backup: { every: null, directory: false, lastAt: null, lastBytes: null, error: null },
  mail: null,
  compaction: { last: null, error: null },
  sessions: 2,
  keys: 3,
  metrics: true,
  tracing: false,
  problems: [],
  ...change,
});
const part = (id: string, change: Partial<ServerStatus> = {}): string => {
  const found = partsOf(status(change), now).find((one) => one.id === id);
  return `${found?.condition}: ${found?.sentence}`;
};

it('has a sentence for each part that is well', () => {
  expect(part('database')).toBe('well: It is well and has 1.4 MB.');
  expect(part('history')).toBe('well: 1 version takes 20 kB.');
  expect(part('disk')).toBe('plain: The data folder data takes 5 MB.');
  expect(part('disk', { disk: { folder: 'data', bytes: 10, free: 1_000_000_000 } })).toMatch(/1 GB are free/);
  expect(part('program')).toBe('plain: Version 1.2.3, started 2 hours ago.');
  expect(part('use')).toBe(
    'plain: 2 sign-ins are alive, and there are 3 API keys. Metrics can be read. Traces are off.',
  );
});

it('says what fails in the words of the service', () => {
  expect(part('database', { database: { state: 'failing', bytes: 0, error: 'the disk is full' } })).toBe(
    'failing: It cannot be written or read: the disk is full',
  );
  expect(
    part('history', { history: { state: 'failing', versions: null, bytes: 0, error: 'no room' } }),
  ).toMatch(/^failing: .*no room$/);
  expect(part('copy', { copy: { state: 'stopped', sentence: 'The token was refused.' } })).toBe(
    'failing: The token was refused.',
  );
});

it('tells how mail is, and what the last compaction gave back', () => {
  expect(part('mail')).toMatch(/^off: No mail server is set/);
  const mail = {
    server: 'mail.example.org:587',
    waiting: 2,
    givenUp: 0,
    lastSentAt: null,
    lastFailedAt: null,
    lastFailure: null,
    error: null,
  };
  expect(part('mail', { mail })).toBe('well: mail.example.org:587 takes its messages; 2 wait.');
  expect(part('mail', { mail: { ...mail, error: 'The password is wrong.' } })).toBe(
    'failing: The password is wrong.',
  );
  expect(part('compaction')).toBe('plain: None was needed since the server started.');
  const last = {
    endedAt: '2026-11-29T11:00:00Z',
    tookMs: 900,
    database: { bytesBefore: 5_000_000, bytesAfter: 2_000_000 },
    history: null,
  };
  expect(part('compaction', { compaction: { last, error: null } })).toBe(
    'plain: The last one ended 1 hour ago and gave back 3 MB.',
  );
  expect(part('compaction', { compaction: { last, error: 'no room' } })).toBe('failing: no room');
});

it('tells backups that are made from those that nobody makes', () => {
  expect(part('backup')).toMatch(/^off: The server makes none/);
  const backup = { every: 3600, directory: true, lastAt: '2026-11-29T11:00:00Z', lastBytes: 2_000_000 };
  expect(part('backup', { backup: { ...backup, error: null } })).toBe(
    'well: They are made at intervals of 1 hour. The last one was made 1 hour ago and has 2 MB.',
  );
  expect(part('backup', { backup: { ...backup, error: 'no room' } })).toMatch(/^failing: .*no room$/);
});
