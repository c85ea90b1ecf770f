import { Monitor, Moon, Sun } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { chooseTheme } from '../../core/prefs';
import { t } from '../../i18n';
import {
  browserLanguage,
  chooseLanguage,
  languages,
  ownNames,
  shownLanguage,
  type Language,
} from '../../i18n/language';
import { Field, Section, Segments, Select, Switch, usePref } from '../../ui';
import css from './Account.module.css';

/** The page was drawn anew because a language was chosen here: the focus goes back to the choice. */
let chosenHere = false;

/** How the page looks and listens in this browser. */
export function Look(): ReactNode {
  const [theme] = usePref('theme', 'system', ['system', 'light', 'dark']);
  const [language] = usePref<Language | 'system'>('language', 'system', ['system', ...languages]);
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosenHere) field.current?.querySelector('button')?.focus();
    chosenHere = false;
  }, []);
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
      <div ref={field}>
        <Field label={t('account.language')} className={css.row}>
          <Select
            className={css.short}
            value={language}
            onChange={(next) => {
              const wanted = next === 'system' ? null : next;
              chosenHere = (wanted ?? browserLanguage()) !== shownLanguage();
              chooseLanguage(wanted);
            }}
            options={[
              { value: 'system', label: t('account.asBrowser', { name: ownNames[browserLanguage()] }) },
              ...languages.map((one) => ({ value: one, label: ownNames[one] })),
            ]}
          />
        </Field>
      </div>
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
