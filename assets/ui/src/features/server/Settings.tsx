import type { ReactNode } from 'react';
import type { ServerSetting } from '../../api/service';
import { includesWords } from '../../core/words';
import { Badge, FilteredEmpty, SearchField, Table, Toolbar, useAddress } from '../../ui';
import { FilterSelect } from '../../ui/FilteredPage';
import css from './Server.module.css';
import { t } from './words';

const origins = ['environment', 'argument', 'file', 'default'] as const;

/** What the server was started with, and what each of it sets. */
export function Settings({ settings }: { settings: readonly ServerSetting[] }): ReactNode {
  const { read, put } = useAddress();
  const [typed, origin] = [read('q'), read('origin')];
  const shown = settings.filter(
    (one) => (!origin || one.origin === origin) && includesWords([one.name, one.help, one.value], typed),
  );
  return (
    <>
      <Toolbar label={t('server.settings')}>
        <SearchField label={t('server.searchSettings')} value={typed} onChange={(q) => put({ q })} />
        <FilterSelect
          aria-label={t('server.origin')}
          value={origin}
          onChange={(next) => put({ origin: next })}
          options={[
            { value: '', label: t('server.anyOrigin') },
            ...origins.map((value) => ({ value, label: t(`server.${value}`) })),
          ]}
        />
      </Toolbar>
      <p className="muted" role="status">
        {t('server.foundSettings', { count: shown.length })}
      </p>
      {shown.length === 0 ? (
        <FilteredEmpty onClear={() => put({ q: '', origin: '' })} />
      ) : (
        <Table
          caption={t('server.settings')}
          rows={shown}
          rowKey={({ name }) => name}
          columns={[
            {
              id: 'name',
              header: t('server.setting'),
              cell: ({ name, help }) => (
                <span className={css.setting}>
                  <code>{name}</code>
                  <span className="note">{sentence(help)}</span>
                </span>
              ),
            },
            { id: 'value', header: t('server.value'), cell: (one) => <Value setting={one} /> },
            {
              id: 'origin',
              header: t('server.origin'),
              wideOnly: true,
              cell: ({ origin: from }) =>
                from === 'default' ? (
                  <span className="muted">{t('server.default')}</span>
                ) : (
                  <Badge>{t(`server.${from}`)}</Badge>
                ),
            },
          ]}
        />
      )}
    </>
  );
}

/** Secrets are never told, only whether there is one. */
function Value({ setting: { value, secret, set } }: { setting: ServerSetting }): ReactNode {
  if (secret && set) return <Badge tone="info">{t('server.set')}</Badge>;
  if (value === null || value === '') return <span className="muted">{t('server.notSet')}</span>;
  return <code className={css.value}>{value}</code>;
}

/** The service has it as a part of a sentence. */
const sentence = (help: string): string => help.charAt(0).toUpperCase() + help.slice(1);
