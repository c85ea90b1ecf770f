import { useSyncExternalStore, type ReactNode } from 'react';
import { shortcuts } from '../core/actions';
import { t } from '../i18n';
import { Dialog, Kbd } from '../ui';
import css from './Shortcuts.module.css';

let open = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  open = next;
  for (const listener of listeners) listener();
}

/** Opens the list of shortcuts. */
export const showShortcuts = (): void => set(true);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Shortcuts(): ReactNode {
  const isOpen = useSyncExternalStore(subscribe, () => open);
  const here = useSyncExternalStore(shortcuts.subscribe, shortcuts.all);
  const general = {
    title: t('app.shortcutsGeneral'),
    keys: [
      { keys: 'Mod+K', label: t('app.commands') },
      { keys: '?', label: t('app.showShortcuts') },
    ],
  };
  return (
    <Dialog open={isOpen} onClose={() => set(false)} title={t('app.shortcuts')} size="large">
      <div className={css.groups}>
        {[general, ...here].map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h3>{group.title}</h3>
            <dl className={css.list}>
              {group.keys.map((line) => (
                <div key={line.keys} className={css.line}>
                  <dt>{line.label}</dt>
                  <dd>
                    <Kbd keys={line.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
