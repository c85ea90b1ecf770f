import {
  Bot,
  Building2,
  CircleCheck,
  CircleSlash,
  Database,
  KeyRound,
  MessageSquare,
  Network,
  Pencil,
  Route,
  Trash2,
  Waypoints,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlowType } from '../../api/models';
import { list } from '../../core/format';
import { Badge, RowMenu, Tile, type Hue } from '../../ui';
import type { Entry, Fit } from './entries';
import css from './Templates.module.css';
import { t } from './words';

const looks: Record<FlowType, { icon: LucideIcon; hue: Hue }> = {
  CHATFLOW: { icon: MessageSquare, hue: 'model' },
  AGENTFLOW: { icon: Route, hue: 'agent' },
  HARNESS: { icon: Network, hue: 'tool' },
  ASSISTANT: { icon: Bot, hue: 'reply' },
  ETL: { icon: Database, hue: 'retriever' },
  MULTIAGENT: { icon: Waypoints, hue: 'none' },
};

const words = {
  CHATFLOW: 'flows.chatflow',
  AGENTFLOW: 'flows.agentflow',
  HARNESS: 'flows.harness',
  ASSISTANT: 'flows.assistant',
  ETL: 'flows.etl',
  MULTIAGENT: 'flows.legacy',
} as const;

export interface TemplateCardProps {
  entry: Entry;
  fit: Fit;
  onOpen: () => void;
  onEdit: (() => void) | null;
  onDelete: (() => void) | null;
  /** The workspace that shares it, where that is another one. */
  from: string | null;
}

/** A template in the gallery. */
export function TemplateCard(props: TemplateCardProps): ReactNode {
  const { entry, fit, onOpen, onEdit, onDelete, from } = props;
  const { name, description, kept } = entry;
  const { type } = fit;
  return (
    <>
      <div className={css.head}>
        <Tile {...looks[type]} />
        <h3>
          <button type="button" className={css.open} aria-haspopup="dialog" onClick={onOpen}>
            {name}
          </button>
        </h3>
        {(onEdit ?? onDelete) && (
          <span className={css.menu}>
            <RowMenu
              name={name}
              items={[
                ...(onEdit ? [{ label: t('kit.edit'), icon: Pencil, onSelect: onEdit }] : []),
                ...(onDelete
                  ? [{ label: t('templates.delete'), icon: Trash2, danger: true, onSelect: onDelete }]
                  : []),
              ]}
            />
          </span>
        )}
      </div>
      <p className={css.about}>{description}</p>
      <div className={css.badges}>
        <Badge>{t(words[type])}</Badge>
        {kept?.uses.map((use) => (
          <Badge key={use}>{use}</Badge>
        ))}
        {from !== null && <Badge icon={Building2}>{from}</Badge>}
        {from === null && kept?.shared && <Badge icon={Building2}>{t('templates.shared')}</Badge>}
        <Needs entry={entry} fit={fit} />
      </div>
    </>
  );
}

function Needs({ entry, fit }: Pick<TemplateCardProps, 'entry' | 'fit'>): ReactNode {
  const { lacks, misses, wantsModel } = fit;
  if (misses.length > 0)
    return (
      <Badge tone="danger" icon={CircleSlash}>
        {t('templates.misses', { cards: list(misses) })}
      </Badge>
    );
  if (entry.recipe?.needs)
    return (
      <Badge tone="warning" icon={Database}>
        {t(`templates.needs.${entry.recipe.needs}`)}
      </Badge>
    );
  if (lacks.length > 0)
    return (
      <Badge tone="warning" icon={KeyRound}>
        {t('templates.lacks', { cards: list(lacks) })}
      </Badge>
    );
  if (wantsModel)
    return (
      <Badge tone="warning" icon={KeyRound}>
        {t('templates.wantsModel')}
      </Badge>
    );
  return (
    <Badge tone="success" icon={CircleCheck}>
      {t(entry.recipe && !entry.recipe.alone ? 'templates.anyModel' : 'templates.runs')}
    </Badge>
  );
}
