import {
  ArrowLeft,
  Check,
  CircleDot,
  CloudAlert,
  CloudOff,
  Eye,
  Pencil,
  type LucideIcon,
} from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { keepFlow, useClient } from '../../api/canvas';
import { useChangeFlow } from '../../api/flows';
import type { Flow } from '../../api/models';
import type { SavedState } from '../../core/editing';
import type { Key } from '../../i18n';
import { cx, Input, Spinner, Tooltip } from '../../ui';
import css from './FlowHeader.module.css';
import { tabsOf, type FlowTab } from './tabs';
import { t } from './words';

export interface FlowHeaderProps {
  flow: Flow;
  tab: FlowTab;
  /** Whether the name is edited here. */
  mayEdit: boolean;
  saved: SavedState;
  chip: ReactNode;
  actions: ReactNode;
}

const links: Record<FlowTab, { label: Key; path: string }> = {
  editor: { label: 'canvas.editor', path: '' },
  runs: { label: 'canvas.runs', path: '/runs' },
  versions: { label: 'canvas.versions', path: '/versions' },
  settings: { label: 'canvas.settings', path: '/settings' },
};

export function FlowHeader({ flow, tab, mayEdit, saved, chip, actions }: FlowHeaderProps): ReactNode {
  return (
    <header className={css.head}>
      <div className={css.who}>
        <Tooltip text={t('canvas.back')}>
          <Link href="/" className={css.back} aria-label={t('canvas.back')}>
            <ArrowLeft size={16} aria-hidden />
          </Link>
        </Tooltip>
        <Name key={flow.name} flow={flow} mayEdit={mayEdit} />
        {chip}
        <SaveIndicator state={saved} editor={tab === 'editor' ? null : `/flows/${flow.id}`} />
      </div>
      <nav className={css.tabs} aria-label={t('canvas.partsOfFlow')}>
        {tabsOf(flow.type).map((one) => (
          <Link
            key={one}
            href={`/flows/${flow.id}${links[one].path}`}
            className={cx(css.tab, one === tab && css.here)}
            aria-current={one === tab ? 'page' : undefined}
          >
            {t(links[one].label)}
          </Link>
        ))}
        {flow.type !== 'ETL' && (
          <Link href={`/conversations?flow=${flow.id}`} className={css.tab}>
            {t('canvas.conversations')}
          </Link>
        )}
      </nav>
      <div className={css.actions}>{actions}</div>
    </header>
  );
}

const words: Record<SavedState, { icon: LucideIcon | null; key: Key }> = {
  saved: { icon: Check, key: 'canvas.saved' },
  saving: { icon: null, key: 'canvas.saving' },
  unsaved: { icon: CircleDot, key: 'canvas.unsaved' },
  offline: { icon: CloudOff, key: 'canvas.offline' },
  conflict: { icon: CloudAlert, key: 'canvas.conflict' },
  failed: { icon: CloudAlert, key: 'canvas.notSaved' },
  readonly: { icon: Eye, key: 'canvas.readOnly' },
};

/** What waits for a person is put right in the editor: from the other tabs it leads there. */
function SaveIndicator({ state, editor }: { state: SavedState; editor: string | null }): ReactNode {
  const { icon: Icon, key } = words[state];
  const waits = state === 'failed' || state === 'conflict';
  return (
    <span
      className={cx(css.saved, ['failed', 'conflict', 'offline'].includes(state) && css.failed)}
      role="status"
    >
      {Icon ? <Icon size={13} aria-hidden /> : <Spinner />}
      {waits && editor ? <Link href={editor}>{t(key)}</Link> : t(key)}
    </span>
  );
}

/** The name; a click or Enter on it edits it in place. */
function Name({ flow, mayEdit }: { flow: Flow; mayEdit: boolean }): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const change = useChangeFlow();
  const client = useClient();
  const done = (save: boolean): void => {
    const name = typed?.trim() ?? '';
    setTyped(null);
    requestAnimationFrame(() => button.current?.focus());
    if (save && name && name !== flow.name)
      change.mutate({ id: flow.id, name }, { onSuccess: (saved) => keepFlow(client, saved) });
  };
  const shown = change.isPending ? change.variables.name : flow.name;
  return (
    <h1 className={css.name}>
      {typed !== null ? (
        <Input
          className={css.input}
          value={typed}
          aria-label={t('canvas.nameOfFlow')}
          autoFocus
          maxLength={200}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => typed !== null && done(true)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') done(true);
            if (event.key === 'Escape') done(false);
          }}
        />
      ) : mayEdit ? (
        <button
          type="button"
          ref={button}
          className={css.rename}
          onClick={() => setTyped(flow.name)}
          title={t('canvas.rename')}
          aria-describedby={change.error ? 'rename-failed' : undefined}
        >
          <span className={css.words}>{shown}</span>
          <Pencil size={13} aria-hidden className={css.pencil} />
        </button>
      ) : (
        <span className={css.words}>{shown}</span>
      )}
      {change.error && (
        <span id="rename-failed" role="alert" className={css.failed}>
          {t('canvas.renameFailed')}: {change.error.message}
        </span>
      )}
    </h1>
  );
}
