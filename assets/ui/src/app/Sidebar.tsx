import { BookOpen, CircleUserRound, Keyboard, LogOut, Monitor, Moon, Search, Sun } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useEnvironment } from '../api/environment';
import { useCan, useMe, useSignOut } from '../api/me';
import { manualAddress } from '../core/base';
import { chooseTheme, readTheme } from '../core/prefs';
import { t } from '../i18n';
import { cx, Kbd, Menu, useMedia, usePref } from '../ui';
import { EnvironmentBadge } from './EnvironmentBadge';
import { giveUpEdits } from './LeaveGuard';
import { Mark } from './Mark';
import { nav, sees, type NavItem } from './nav';
import css from './Sidebar.module.css';
import { showShortcuts } from './Shortcuts';
import { WorkspaceSwitcher } from './WorkspaceSwitcher';

export interface SidebarProps {
  /** On narrow pages it lies over the page. */
  open: boolean;
  onClose: () => void;
  onSearch: () => void;
}

export function Sidebar({ open, onClose, onSearch }: SidebarProps): ReactNode {
  const can = useCan();
  const me = useMe().data;
  const side = useRef<HTMLElement>(null);
  const narrow = useMedia('(width < 768px)');
  useEffect(() => {
    if (open) side.current?.querySelector<HTMLElement>('a, button')?.focus();
  }, [open]);
  const viewer = {
    can,
    isOwner: Boolean(me?.isOrganizationAdmin),
    isProd: useEnvironment() === 'prod',
  };
  return (
    <>
      {open && (
        <button
          type="button"
          className={css.scrim}
          aria-label={t('kit.close')}
          onClick={onClose}
          tabIndex={-1}
        />
      )}
      {/* Escape closes the panel wherever focus is inside it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <nav
        ref={side}
        className={cx(css.side, open && css.open)}
        aria-label={t('app.mainMenu')}
        inert={narrow && !open}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      >
        <div className={css.head}>
          <Mark />
          <WorkspaceSwitcher />
        </div>
        <button type="button" className={css.search} onClick={onSearch}>
          <Search size={15} aria-hidden />
          <span className={css.label}>{t('kit.search')}</span>
          <span className={css.label}>
            <Kbd keys="Mod+K" />
          </span>
        </button>
        <div className={css.groups}>
          {nav.map((group) => {
            const items = group.items.filter((item) => sees(item, viewer));
            return (
              items.length > 0 && (
                <div key={group.label} className={css.group}>
                  <h2 className={css.heading}>{t(group.label)}</h2>
                  <ul>
                    {items.map((item) => (
                      <li key={item.path}>
                        <NavLink item={item} />
                      </li>
                    ))}
                  </ul>
                </div>
              )
            );
          })}
        </div>
        <div className={css.foot}>
          <EnvironmentBadge />
          {/* Not a screen of the page: it opens beside it, and what is not saved here stays. */}
          <a href={manualAddress} target="_blank" rel="noopener" className={css.item} title={t('app.manual')}>
            <BookOpen size={16} aria-hidden />
            <span className={css.label}>{t('app.manual')}</span>
          </a>
          <AccountMenu />
        </div>
      </nav>
    </>
  );
}

function NavLink({ item }: { item: NavItem }): ReactNode {
  const [path] = useLocation();
  const here = item.path === '/' ? path === '/' || path.startsWith('/flows/') : path.startsWith(item.path);
  const label = t(item.label);
  return (
    <Link
      href={item.path}
      className={cx(css.item, here && css.here)}
      aria-current={here ? 'page' : undefined}
      title={label}
    >
      <item.icon size={16} aria-hidden />
      <span className={css.label}>{label}</span>
    </Link>
  );
}

function AccountMenu(): ReactNode {
  const me = useMe().data;
  const [, go] = useLocation();
  const signOut = useSignOut();
  const [theme] = usePref('theme', readTheme(), ['system', 'light', 'dark']);
  if (!me) return null;
  return (
    <Menu
      align="start"
      side="top"
      label={t('app.account')}
      items={[
        { heading: me.email },
        { label: t('app.account'), icon: CircleUserRound, onSelect: () => go('/account') },
        {
          label: t('app.theme'),
          icon: Sun,
          items: [
            {
              label: t('app.system'),
              icon: Monitor,
              checked: theme === 'system',
              onSelect: () => chooseTheme('system'),
            },
            {
              label: t('app.light'),
              icon: Sun,
              checked: theme === 'light',
              onSelect: () => chooseTheme('light'),
            },
            {
              label: t('app.dark'),
              icon: Moon,
              checked: theme === 'dark',
              onSelect: () => chooseTheme('dark'),
            },
          ],
        },
        { label: t('app.shortcuts'), icon: Keyboard, shortcut: '?', onSelect: showShortcuts },
        'separator',
        { label: t('app.signOut'), icon: LogOut, onSelect: () => void giveUpEdits(signOut.mutate) },
      ]}
    >
      <button type="button" className={css.person} title={me.name}>
        <span className={css.face} aria-hidden>
          {initials(me.name)}
        </span>
        <span className={css.label}>{me.name}</span>
      </button>
    </Menu>
  );
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}
