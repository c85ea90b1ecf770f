import { Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { chooseTheme } from '../../core/prefs';
import { t } from '../../i18n';
import { Field, Section, Segments, Select, Switch, usePref } from '../../ui';
import css from './Account.module.css';

/** How the page looks and listens in this browser. */
export function Look(): ReactNode {
  const [theme] = usePref('theme', 'system', ['system', 'light', 'dark']);
  const [language, setLanguage] = usePref('language', 'en', ['en']);
  const [letters, setLetters] = usePref('letterKeys', 'on', ['on', 'off']);
  return (
    <Section title={t('account.look')} description={t('account.lookText')}>
      <div className={css.row}>
        <span className={css.rowName} aria-hidden>
          {t('account.theme')}
        </span>
        <Segments
          label={t('account.theme')}
          value={theme}
          onChange={chooseTheme}
          options={[
            { value: 'system', label: t('account.system'), icon: Monitor },
            { value: 'light', label: t('account.light'), icon: Sun },
            { value: 'dark', label: t('account.dark'), icon: Moon },
          ]}
        />
      </div>
      <Field label={t('account.language')} className={css.row}>
        <Select
          className={css.short}
          value={language}
          onChange={setLanguage}
          options={[{ value: 'en', label: t('account.english') }]}
        />
      </Field>
      <Switch
        spread
        label={t('account.keys')}
        help={t('account.keysHelp')}
        checked={letters === 'on'}
        onChange={(on) => setLetters(on ? 'on' : 'off')}
      />
    </Section>
  );
}
