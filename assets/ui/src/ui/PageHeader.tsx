import { ArrowLeft } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import css from './PageHeader.module.css';
import { cx } from './cx';

export interface PageHeaderProps {
  /** The page's one h1, also the tab's title. */
  title: string;
  description?: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
}

export function PageHeader({ title, description, actions }: PageHeaderProps): ReactNode {
  useTitle(title);
  return (
    <header className={css.head}>
      <div className={css.words}>
        <h1>{title}</h1>
        {description && <p className={css.description}>{description}</p>}
      </div>
      {actions && <div className={css.actions}>{actions}</div>}
    </header>
  );
}

/** The way from one of many to their list, above the header. */
export function BackLink({ href, children }: { href: string; children: ReactNode }): ReactNode {
  return (
    <Link href={href} className={css.back}>
      <ArrowLeft size={14} aria-hidden /> {children}
    </Link>
  );
}

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Flowkeep`;
  }, [title]);
}

/** The frame of an ordinary page: space around, a readable width. */
export function Page({ children, narrow }: { children: ReactNode; narrow?: boolean }): ReactNode {
  return <div className={cx(css.page, narrow && css.narrow)}>{children}</div>;
}

export interface SectionProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page with its own heading, in a panel. */
export function Section({ title, description, actions, children }: SectionProps): ReactNode {
  return (
    <section className={css.section} aria-label={title}>
      <header className={css.sectionHead}>
        <div className={css.words}>
          <h2>{title}</h2>
          {description && <p className={css.description}>{description}</p>}
        </div>
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      <div className={css.sectionBody}>{children}</div>
    </section>
  );
}

/** A line of filters and buttons above a list. */
export function Toolbar({ children, label }: { children: ReactNode; label: string }): ReactNode {
  return (
    <div className={css.toolbar} role="group" aria-label={label}>
      {children}
    </div>
  );
}
