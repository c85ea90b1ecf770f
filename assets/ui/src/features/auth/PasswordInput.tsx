import { useState, type ComponentProps, type ReactNode } from 'react';
import { t } from '../../i18n';
import { Input } from '../../ui';
import css from './Auth.module.css';

/** A password that can be shown. Paste and password managers work as usual. */
export function PasswordInput(props: ComponentProps<'input'>): ReactNode {
  const [shown, setShown] = useState(false);
  return (
    <div className={css.password}>
      <Input {...props} type={shown ? 'text' : 'password'} spellCheck={false} autoCapitalize="none" />
      <button
        type="button"
        className={css.reveal}
        aria-label={t(shown ? 'auth.hidePassword' : 'auth.showPassword')}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        {t(shown ? 'auth.hide' : 'auth.show')}
      </button>
    </div>
  );
}
