import { Command } from 'cmdk';
import { Check, ChevronsUpDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useId, useState, type ReactNode } from 'react';
import { t } from '../i18n';
import css from './Combobox.module.css';
import { cx } from './cx';
import { useField, useFieldLabel } from './Field';
import menu from './Menu.module.css';
import type { Option } from './Select';
import select from './Select.module.css';
import { Spinner } from './Spinner';

export interface ComboboxProps {
  value: string | undefined;
  onChange: (value: string) => void;
  options: readonly Option[];
  placeholder?: string;
  'aria-label'?: string;
  disabled?: boolean;
  /** The options are on their way. */
  loading?: boolean;
  /** Why they could not be loaded. */
  failure?: string | null;
  /** Takes what was typed as a value of its own. */
  allowOther?: boolean;
  onOpen?: () => void;
  /** Shown below the options, such as a button that makes a new one. */
  footer?: ReactNode;
}

/** A select with search, for long or loaded lists. */
export function Combobox(props: ComboboxProps): ReactNode {
  const { value, onChange, options, placeholder, disabled, allowOther, onOpen, footer } = props;
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const field = useField();
  const list = useId();
  const labelId = useFieldLabel();
  const chosen = options.find((option) => option.value === value);
  const pick = (next: string): void => {
    onChange(next);
    setOpen(false);
  };
  const change = (next: boolean): void => {
    setOpen(next);
    setTyped('');
    if (next) onOpen?.();
  };
  return (
    <Popover.Root open={open} onOpenChange={change}>
      <Popover.Trigger asChild>
        <button
          type="button"
          {...field}
          role="combobox"
          aria-expanded={open}
          aria-controls={list}
          aria-haspopup="listbox"
          aria-label={props['aria-label']}
          aria-labelledby={labelId && field.id ? `${labelId} ${field.id}` : undefined}
          disabled={disabled}
          className={select.trigger}
          data-placeholder={value ? undefined : ''}
        >
          <span className="clipped">{chosen?.label ?? (value || (placeholder ?? t('kit.choose')))}</span>
          <ChevronsUpDown size={14} aria-hidden className="muted" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={cx(menu.menu, css.panel)}
          align="start"
          sideOffset={4}
          collisionPadding={8}
        >
          <Command label={props['aria-label'] ?? t('kit.search')} loop>
            <Command.Input
              className={css.input}
              value={typed}
              onValueChange={setTyped}
              placeholder={t('kit.search')}
            />
            <Command.List className={css.list}>
              <State {...props} />
              {options.map((option) => (
                <Command.Item
                  key={option.value}
                  value={option.value}
                  keywords={[option.label, option.description ?? '']}
                  disabled={option.disabled}
                  onSelect={() => pick(option.value)}
                  className={cx(menu.item, select.item)}
                >
                  <span className={select.text}>
                    {option.label}
                    {option.description && <span className="note">{option.description}</span>}
                  </span>
                  {option.value === value && <Check size={14} aria-hidden />}
                </Command.Item>
              ))}
              {allowOther && typed && !options.some((option) => option.value === typed) && (
                <Command.Item value={typed} onSelect={() => pick(typed)} className={menu.item}>
                  {t('kit.useTyped', { text: typed })}
                </Command.Item>
              )}
            </Command.List>
          </Command>
          {footer && <div className={css.footer}>{footer}</div>}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function State({ loading, failure }: ComboboxProps): ReactNode {
  if (loading) {
    return (
      <p className={css.state} role="status">
        <Spinner /> {t('kit.loading')}
      </p>
    );
  }
  if (failure) {
    return (
      <p className={cx(css.state, css.bad)} role="alert">
        {failure}
      </p>
    );
  }
  return <Command.Empty className={css.state}>{t('kit.nothingFound')}</Command.Empty>;
}
