import { Menu as MenuIcon } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { t } from '../i18n';
import { cx, IconButton } from '../ui';
import { Commands } from './Commands';
import { EnvironmentBadge } from './EnvironmentBadge';
import css from './Shell.module.css';
import { Sidebar } from './Sidebar';

/** The frame of every page after sign-in: skip link, sidebar, the page itself. */
export default function Shell({ children, full }: { children: ReactNode; full?: boolean }): ReactNode {
  const [path] = useLocation();
  const [open, setOpen] = useState(false);
  const [searching, setSearching] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    setOpen(false);
    // Which of the two scrolls depends on the room there is.
    main.current?.scrollTo({ top: 0 });
    main.current?.parentElement?.scrollTo({ top: 0 });
  }, [path]);
  return (
    <div className={css.shell}>
      <a
        href="#main"
        className={css.skip}
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {t('app.skip')}
      </a>
      <Sidebar open={open} onClose={() => setOpen(false)} onSearch={() => setSearching(true)} />
      {full ? (
        <EnvironmentBadge className={css.over} />
      ) : (
        <div className={css.bar}>
          <IconButton icon={MenuIcon} label={t('app.menu')} onClick={() => setOpen(true)} />
          <EnvironmentBadge />
        </div>
      )}
      <main id="main" ref={main} tabIndex={-1} className={cx(css.main, full && css.full)}>
        {children}
      </main>
      <Commands open={searching} onOpenChange={setSearching} />
    </div>
  );
}
