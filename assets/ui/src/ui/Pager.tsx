import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { number } from '../core/format';
import { t } from '../i18n';
import { IconButton } from './Button';
import css from './Pager.module.css';

export interface PagerProps {
  page: number;
  /** How many rows a page has. */
  limit: number;
  total: number;
  onPage: (page: number) => void;
}

/** Which rows of a list are shown, and the way to the others. */
export function Pager({ page, limit, total, onPage }: PagerProps): ReactNode {
  const from = (page - 1) * limit + 1;
  const to = Math.min(page * limit, total);
  return (
    <div className={css.pager}>
      <p role="status">{t('kit.range', { from: number(from), to: number(to), total: number(total) })}</p>
      <IconButton
        icon={ChevronLeft}
        label={t('kit.previousPage')}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      />
      <IconButton
        icon={ChevronRight}
        label={t('kit.nextPage')}
        disabled={to >= total}
        onClick={() => onPage(page + 1)}
      />
    </div>
  );
}
