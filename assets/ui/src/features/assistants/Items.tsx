import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { Combobox, Field, IconButton, Section } from '../../ui';
import css from './Assistants.module.css';
import { t } from './words';

export interface Item {
  key: string | number;
  name: string;
  about?: string | undefined;
  /** Its fields. */
  body: ReactNode;
  remove: () => void;
}

export interface ItemsProps {
  title: string;
  description: string;
  none: ReactNode;
  items: readonly Item[];
  readOnly: boolean;
  add: {
    label: string;
    options: readonly { value: string; label: string; description?: string }[] | undefined;
    failure: string | null;
    pick: (value: string) => void;
  };
}

/** Things that an assistant has, each with its fields, and a list to choose more from. */
export function Items({ title, description, none, items, readOnly, add }: ItemsProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  return (
    <Section title={title} description={description}>
      <div ref={box} className={css.items}>
        {items.length === 0 && <p className="muted">{none}</p>}
        {items.map(({ key, name, about, body, remove }) => (
          <div key={key} className={css.item} role="group" aria-label={name}>
            <div className={css.itemHead}>
              <div className={css.itemWords}>
                <h3 className={css.itemName}>{name}</h3>
                {about && <p className="note">{about}</p>}
              </div>
              {!readOnly && (
                <IconButton
                  icon={X}
                  size="compact"
                  label={t('assistants.remove', { name })}
                  onClick={() => {
                    remove();
                    const adder = box.current?.querySelector<HTMLElement>('[data-add] [role=combobox]');
                    requestAnimationFrame(() => adder?.focus());
                  }}
                />
              )}
            </div>
            {body}
          </div>
        ))}
        {!readOnly && (
          <div data-add>
            <Field label={add.label} hideLabel>
              <Combobox
                value=""
                placeholder={add.label}
                onChange={add.pick}
                options={add.options ?? []}
                loading={!add.options && !add.failure}
                failure={add.failure}
              />
            </Field>
          </div>
        )}
      </div>
    </Section>
  );
}
