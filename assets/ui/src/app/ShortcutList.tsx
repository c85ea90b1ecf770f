import { useSyncExternalStore, type ReactNode } from 'react';
import { shortcuts } from '../core/actions';
import { t } from '../i18n';
import { Dialog, Kbd } from '../ui';
import css from './Shortcuts.module.css';

/** The keys that do something here and everywhere. */
export default function ShortcutList({ onClose }: { onClose: () => void }): ReactNode {
  const here = useSyncExternalStore(shortcuts.subscribe, shortcuts.all);
  const general = {
    title: t('app.shortcutsGeneral'),
    keys: [
      { keys: 'Mod+K', label: t('app.commands') },
      { keys: '?', label: t('app.showShortcuts') },
    ],
  };
  return (
    <Dialog open onClose={onClose} title={t('app.shortcuts')} size="large">
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
