import { CircleX, Info, Pause, Play, RotateCw, ScrollText, TriangleAlert } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useServerLog, type LogLevel, type LogLine } from '../../api/service';
import { exactTime } from '../../core/format';
import { includesWords } from '../../core/words';
import {
  Badge,
  Button,
  EmptyState,
  FilteredEmpty,
  Loaded,
  SearchField,
  Table,
  Toolbar,
  useAddress,
} from '../../ui';
import { FilterSelect } from '../../ui/FilteredPage';
import css from './Server.module.css';
import { t } from './words';

const levels = ['info', 'warn', 'error'] as const;
const looks = {
  error: { tone: 'danger', icon: CircleX },
  warn: { tone: 'warning', icon: TriangleAlert },
  info: { tone: 'neutral', icon: Info },
} as const;

/** What the server wrote in the last hour, the newest first. */
export function Log(): ReactNode {
  const { read, put } = useAddress();
  const asked = read('level');
  const level: LogLevel = levels.find((one) => one === asked) ?? 'info';
  const typed = read('q');
  const [paused, setPaused] = useState(false);
  const log = useServerLog(level, paused);
  return (
    <>
      <p className="note">{t('server.logText')}</p>
      <Toolbar label={t('server.log')}>
        <SearchField label={t('server.searchLog')} value={typed} onChange={(q) => put({ q })} />
        <FilterSelect
          aria-label={t('server.level')}
          value={level}
          onChange={(next) => put({ level: next === 'info' ? '' : next })}
          options={[
            { value: 'info', label: t('server.allLevels') },
            { value: 'warn', label: t('server.warnings') },
            { value: 'error', label: t('server.errors') },
          ]}
        />
        <Button icon={paused ? Play : Pause} onClick={() => setPaused(!paused)}>
          {t(paused ? 'server.follow' : 'server.pause')}
        </Button>
        <Button icon={RotateCw} onClick={() => void log.refetch()}>
          {t('server.refresh')}
        </Button>
      </Toolbar>
      {paused && (
        <p className="muted" role="status">
          {t('server.paused')}
        </p>
      )}
      <Loaded query={log}>
        {({ lines, dropped }) => {
          const shown = lines.filter((line) =>
            includesWords([line.message, line.target, ...Object.values(line.fields)], typed),
          );
          return (
            <>
              {lines.length === 0 ? (
                <EmptyState icon={ScrollText} title={t('server.noLines')}>
                  {t('server.noLinesText')}
                </EmptyState>
              ) : shown.length === 0 ? (
                <FilteredEmpty onClear={() => put({ q: '' })} />
              ) : (
                <Lines lines={shown} />
              )}
              {dropped > 0 && <p className="note">{t('server.dropped', { count: dropped })}</p>}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Lines({ lines }: { lines: readonly LogLine[] }): ReactNode {
  // Two lines may be alike to the millisecond: each is told from its like by how many come after it.
  const seen = new Map<string, number>();
  const rows = [...lines].reverse().map((line) => {
    const name = `${line.at} ${line.target} ${line.message}`;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return { line, key: `${name} ${count}` };
  });
  return (
    <Table
      caption={t('server.log')}
      rows={rows.reverse()}
      rowKey={({ key }) => key}
      columns={[
        {
          id: 'message',
          header: t('server.message'),
          cell: ({ line: { at, message, target, fields } }) => (
            <span className={css.line}>
              {message}
              <span className={css.details}>
                <time dateTime={at}>{exactTime(at)}</time>
                {' · '}
                {[target, ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(' · ')}
              </span>
            </span>
          ),
        },
        {
          id: 'level',
          header: t('server.level'),
          width: '110px',
          cell: ({ line: { level } }) => (
            <Badge tone={looks[level].tone} icon={looks[level].icon}>
              {t(`server.level.${level}`)}
            </Badge>
          ),
        },
      ]}
    />
  );
}
