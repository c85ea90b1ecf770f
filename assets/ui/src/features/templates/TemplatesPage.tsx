import { LayoutTemplate } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useCards } from '../../api/cards';
import { useCredentials } from '../../api/credentials';
import { useCan, useMe } from '../../api/me';
import { useDeleteTemplate, useStarters, useTemplates } from '../../api/templates';
import { later, List, ListPage, Tabs, useAddress } from '../../ui';
import { DeleteRecord } from '../../ui/DeleteRecord';
import { FilterSelect } from '../../ui/FilteredPage';
import { fitOf, gallery, modelsOf, ownEntries, type Entry } from './entries';
import type { TemplateParts } from './parts';
import { uses } from './starters';
import { TemplateCard } from './TemplateCard';
import css from './Templates.module.css';
import { t } from './words';

const UseTemplate = later(() => import('./UseTemplate'), null);
const NewTemplate = later(() => import('./NewTemplate'), null);
const EditTemplate = later(() => import('./EditTemplate'), null);

type Name = 'gallery' | 'own';

/** Flows to begin with: those that come with the service, and those that the workspace keeps. */
export function TemplatesPage({ parts }: { parts: TemplateParts }): ReactNode {
  const can = useCan();
  const { read, put } = useAddress();
  const value: Name = read('tab') === 'own' || !can('templates:marketplace') ? 'own' : 'gallery';
  const permission = value === 'own' ? 'templates:custom' : 'templates:marketplace';
  const maySee = can(permission);
  const mayMake = can('templates:flowexport');
  const starters = useStarters(maySee && value === 'gallery');
  const own = useTemplates(maySee && value === 'own');
  const cards = useCards(maySee).data;
  const credentials = useCredentials(can('credentials:view')).data;
  const remove = useDeleteTemplate();
  const [making, setMaking] = useState(false);
  const [dropping, setDropping] = useState<Entry | null>(null);
  const [editing, setEditing] = useState<Entry | null>(null);
  const me = useMe().data;
  const of = read('of');
  const kinds = useMemo(
    () => new Set((credentials ?? []).map(({ credentialName }) => credentialName)),
    [credentials],
  );
  const known = useMemo(() => new Map((cards ?? []).map((card) => [card.name, card])), [cards]);
  const { data: brought } = starters;
  const { data: kept } = own;
  const all = useMemo(() => brought && gallery(brought), [brought]);
  const mine = useMemo(() => kept && ownEntries(kept), [kept]);
  const models = useMemo(() => modelsOf(cards ?? []), [cards]);
  const tools = value === 'own' ? (kept ?? []).filter(({ type }) => type === 'Tool').length : 0;
  const rows = value === 'own' ? mine : all;
  // Drawings are read once, and not with every letter that is typed.
  const fits = useMemo(
    () => new Map((rows ?? []).map((entry) => [entry, fitOf(entry, { cards: known, kinds, models })])),
    [rows, known, kinds, models],
  );
  const chosen = rows?.find(({ id }) => id === read('template'));
  const mayEdit = can('templates:flowexport', 'templates:toolexport', 'templates:custom-share');
  const mayDelete = can('templates:custom-delete');
  /** The workspace that shares a template; null for those that are not another's. */
  const fromOf = ({ kept }: Entry): string | null => {
    if (!kept || kept.workspaceId === me?.activeWorkspaceId) return null;
    const known = me?.assignedWorkspaces.find(({ id }) => id === kept.workspaceId);
    return known ? t('templates.from', { name: known.name }) : t('templates.fromOther');
  };
  const cardOf = (entry: Entry): ReactNode => {
    const fit = fits.get(entry);
    const from = fromOf(entry);
    const ours = value === 'own' && from === null;
    return (
      fit && (
        <TemplateCard
          entry={entry}
          fit={fit}
          onOpen={() => put({ template: entry.id })}
          from={from}
          onEdit={ours && mayEdit ? () => setEditing(entry) : null}
          onDelete={ours && mayDelete ? () => setDropping(entry) : null}
        />
      )
    );
  };
  return (
    <>
      <ListPage
        title={t('templates.title')}
        description={t('templates.description')}
        icon={LayoutTemplate}
        query={{ ...(value === 'own' ? own : starters), data: rows }}
        missing={!maySee && permission}
        create={value === 'own' && mayMake && { label: t('templates.new'), onClick: () => setMaking(true) }}
        empty={{ title: t('templates.empty'), text: t('templates.emptyText') }}
        search={{
          label: t('templates.search'),
          words: ({ name, description, kept }) => [name, description, ...(kept?.uses ?? [])],
        }}
        filters={{
          names: ['use', 'ready'],
          pass: (entry) =>
            (!read('use') || entry.use === read('use')) &&
            (read('ready') !== '1' || fits.get(entry)?.ready === true),
          tools: (
            <>
              {value === 'gallery' && (
                <FilterSelect
                  aria-label={t('templates.use')}
                  value={read('use')}
                  onChange={(use) => put({ use })}
                  options={[
                    { value: '', label: t('templates.anyUse') },
                    ...uses.map((use) => ({ value: use, label: t(`templates.use.${use}`) })),
                  ]}
                />
              )}
              <FilterSelect
                aria-label={t('templates.what')}
                value={read('ready')}
                onChange={(next) => put({ ready: next })}
                options={[
                  { value: '', label: t('templates.any') },
                  { value: '1', label: t('templates.ready') },
                ]}
              />
            </>
          ),
        }}
        below={tools > 0 && <p className="muted">{t('templates.tools', { count: tools })}</p>}
        found={(count) => t('templates.found', { count })}
        around={(list) => (
          <Tabs<Name>
            label={t('templates.kinds')}
            value={value}
            onChange={(next) => put({ tab: next === 'own' ? next : '', q: '', use: '', ready: '' })}
            tabs={[
              { value: 'gallery', label: t('templates.gallery') },
              { value: 'own', label: t('templates.own') },
            ]}
            panelClassName={css.panel}
          >
            {list}
          </Tabs>
        )}
      >
        {(shown) =>
          value === 'own' ? (
            <>
              <h2 className="sr-only">{t('templates.own')}</h2>
              <Cards rows={shown} cardOf={cardOf} />
            </>
          ) : (
            <Groups rows={shown} cardOf={cardOf} />
          )
        }
      </ListPage>
      {chosen && cards && (
        <UseTemplate
          key={chosen.id}
          entry={chosen}
          cards={cards}
          kinds={kinds}
          lacks={fits.get(chosen)?.lacks ?? []}
          parts={parts}
          onClose={() => put({ template: '' })}
        />
      )}
      {(making || (of && mayMake)) && (
        <NewTemplate
          of={of}
          onClose={() => {
            setMaking(false);
            put({ of: '' });
          }}
        />
      )}
      {editing && <EditTemplate entry={editing} onClose={() => setEditing(null)} />}
      {dropping && (
        <DeleteRecord
          texts="templates"
          id={dropping.id}
          name={dropping.name}
          remove={remove}
          onClose={() => setDropping(null)}
        />
      )}
    </>
  );
}

/** How high a template is about, in pixels. */
const CARD = 130;

interface CardsProps {
  rows: readonly Entry[];
  cardOf: (entry: Entry) => ReactNode;
}

const Cards = ({ rows, cardOf }: CardsProps): ReactNode => (
  <List rows={rows} rowKey={({ id }) => id} className={css.cards} itemClassName={css.card} guess={CARD}>
    {cardOf}
  </List>
);

/** The gallery by what its flows are for. */
function Groups(props: CardsProps): ReactNode {
  const { rows, cardOf } = props;
  return uses.map((use) => {
    const some = rows.filter((entry) => entry.use === use);
    return (
      some.length > 0 && (
        <section key={use} className={css.group} aria-label={t(`templates.use.${use}`)}>
          <h2>{t(`templates.use.${use}`)}</h2>
          <Cards rows={some} cardOf={cardOf} />
        </section>
      )
    );
  });
}
