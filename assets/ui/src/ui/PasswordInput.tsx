import { useState, type ReactNode } from 'react';
import { t } from '../i18n';
import { Input, type InputProps } from './Field';
import css from './PasswordInput.module.css';

/** A password that can be shown. Paste and password managers work as usual. */
export function PasswordInput(props: InputProps): ReactNode {
  const [shown, setShown] = useState(false);
  return (
    <div className={css.password}>
      <Input {...props} type={shown ? 'text' : 'password'} spellCheck={false} autoCapitalize="none" />
      <button
        type="button"
        className={css.reveal}
        aria-label={t(shown ? 'kit.hidePassword' : 'kit.showPassword')}
        onClick={() => setShown(!shown)}
      >
        {t(shown ? 'kit.hide' : 'kit.show')}
      </button>
    </div>
  );
}
