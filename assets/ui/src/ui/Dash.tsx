import type { ReactNode } from 'react';
import { t } from '../i18n';

/** A dash where there is no value, told as a word to those who do not see it. */
export const Dash = (): ReactNode => (
  <span className="muted">
    <span aria-hidden>–</span>
    <span className="sr-only">{t('kit.none')}</span>
  </span>
);
