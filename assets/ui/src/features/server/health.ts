import type { ServerStatus } from '../../api/service';
import { serviceNow } from '../../core/clock';
import { bytes, interval, number, relativeTime } from '../../core/format';
import { t } from './words';

/** How each part of the server is, in sentences. */

export type Condition = 'well' | 'off' | 'failing' | 'plain';

export interface Part {
  id: string;
  name: string;
  condition: Condition;
  sentence: string;
  /** The screen that does something about it. */
  to?: string;
}

export function partsOf(status: ServerStatus, now = serviceNow()): Part[] {
  const { disk, copy, sessions, keys, metrics, tracing, version, startedAt } = status;
  return [
    databaseOf(status),
    historyOf(status),
    {
      id: 'disk',
      name: t('server.disk'),
      condition: 'plain',
      sentence:
        disk.free === null
          ? t('server.diskTaken', { folder: disk.folder, size: bytes(disk.bytes) })
          : t('server.diskFree', { folder: disk.folder, size: bytes(disk.bytes), free: bytes(disk.free) }),
    },
    {
      id: 'copy',
      name: t('server.copy'),
      condition: conditionOfCopy(copy),
      sentence: copy?.sentence ?? t('server.copyOff'),
      to: '/git-copy',
    },
    backupOf(status, now),
    mailOf(status),
    compactionOf(status, now),
    {
      id: 'use',
      name: t('server.use'),
      condition: 'plain',
      sentence: [
        t('server.useText', { sessions: number(sessions), keys: number(keys) }),
        t(metrics ? 'server.metricsOn' : 'server.metricsOff'),
        t(tracing ? 'server.tracingOn' : 'server.tracingOff'),
      ].join(' '),
    },
    {
      id: 'program',
      name: t('server.program'),
      condition: 'plain',
      sentence: t('server.programText', { version, when: relativeTime(startedAt, now) }),
    },
  ];
}

function databaseOf({ database }: ServerStatus): Part {
  const part = { id: 'database', name: t('server.database') };
  return database.state === 'failing'
    ? {
        ...part,
        condition: 'failing',
        sentence: t('server.databaseBad', { error: database.error ?? '' }),
      }
    : { ...part, condition: 'well', sentence: t('server.databaseWell', { size: bytes(database.bytes) }) };
}

function historyOf({ history: { state, versions, bytes: size, error } }: ServerStatus): Part {
  const part = { id: 'history', name: t('server.history') };
  if (state === 'off') return { ...part, condition: 'off', sentence: t('server.historyOff') };
  if (state === 'failing')
    return { ...part, condition: 'failing', sentence: t('server.historyBad', { error: error ?? '' }) };
  const count = versions ?? 0;
  return {
    ...part,
    condition: 'well',
    sentence: t('server.historyWell', { count, size: bytes(size) }),
  };
}

function conditionOfCopy(copy: ServerStatus['copy']): Condition {
  if (!copy || copy.state === 'off' || copy.state === 'not-connected') return 'off';
  return copy.state === 'stopped' ? 'failing' : 'well';
}

function backupOf({ backup }: ServerStatus, now: number): Part {
  const { every, directory, lastAt, lastBytes, error } = backup;
  const part = { id: 'backup', name: t('server.backup') };
  if (error !== null) return { ...part, condition: 'failing', sentence: t('server.backupFailed', { error }) };
  const last =
    lastAt === null
      ? t('server.backupNone')
      : t('server.backupLast', { when: relativeTime(lastAt, now), size: bytes(lastBytes ?? 0) });
  if (every === null || !directory)
    return { ...part, condition: 'off', sentence: lastAt === null ? t('server.backupOff') : last };
  return {
    ...part,
    condition: 'well',
    sentence: `${t('server.backupWhen', { every: interval(every) })} ${last}`,
  };
}

function mailOf({ mail }: ServerStatus): Part {
  const part = { id: 'mail', name: t('server.mail') };
  if (mail === null) return { ...part, condition: 'off', sentence: t('server.mailOff') };
  const { server, waiting: count, error } = mail;
  if (error !== null) return { ...part, condition: 'failing', sentence: error };
  return { ...part, condition: 'well', sentence: t('server.mailWell', { server, count }) };
}

function compactionOf({ compaction: { last, error } }: ServerStatus, now: number): Part {
  const part = { id: 'compaction', name: t('server.compaction') };
  if (error !== null) return { ...part, condition: 'failing', sentence: error };
  if (last === null) return { ...part, condition: 'plain', sentence: t('server.compactionNone') };
  const { database, history } = last;
  const freed =
    database.bytesBefore - database.bytesAfter + (history ? history.bytesBefore - history.bytesAfter : 0);
  const size = bytes(Math.max(0, freed));
  return {
    ...part,
    condition: 'plain',
    sentence: t('server.compactionLast', { when: relativeTime(last.endedAt, now), size }),
  };
}
