import { Search, X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { t } from '../i18n';
import css from './SearchField.module.css';
import { cx } from './cx';

export interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  className?: string;
  autoFocus?: boolean;
}

export function SearchField({ value, onChange, label, className, autoFocus }: SearchFieldProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={cx(css.search, className)}>
      <Search size={15} aria-hidden className={css.icon} />
      <input
        ref={input}
        type="search"
        className={css.input}
        value={value}
        aria-label={label}
        placeholder={label}
        autoFocus={autoFocus}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && value) {
            event.stopPropagation();
            event.preventDefault();
            onChange('');
          }
        }}
      />
      {value && (
        <button
          type="button"
          className={css.clear}
          aria-label={t('kit.clearSearch')}
          onClick={() => {
            onChange('');
            input.current?.focus();
          }}
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  );
}
