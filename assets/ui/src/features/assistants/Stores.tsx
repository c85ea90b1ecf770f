import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAssistantStores } from '../../api/assistants';
import { Field, Fields, Switch, TextArea } from '../../ui';
import css from './Assistants.module.css';
import type { SearchedStore } from './details';
import { Items } from './Items';
import { t } from './words';

export interface StoresProps {
  stores: readonly SearchedStore[];
  readOnly: boolean;
  onChange: (stores: SearchedStore[]) => void;
}

/** The document stores that the assistant searches. */
export function Stores({ stores, readOnly, onChange }: StoresProps): ReactNode {
  const { data: choices, error } = useAssistantStores();
  const put = (at: number, part: Partial<SearchedStore>): void =>
    onChange(stores.map((store, index) => (index === at ? { ...store, ...part } : store)));
  const left = choices?.filter(({ name }) => !stores.some(({ id }) => id === name));
  return (
    <Items
      title={t('assistants.knowledge')}
      description={t('assistants.knowledgeText')}
      none={
        choices?.length === 0 ? (
          <>
            {t('assistants.noStores')}{' '}
            <Link href="/knowledge" className={css.link}>
              {t('assistants.toKnowledge')}
            </Link>
          </>
        ) : (
          t('assistants.knowledgeNone')
        )
      }
      readOnly={readOnly}
      items={stores.map((store, at) => ({
        key: store.id,
        name: store.name,
        body: (
          <Fields>
            <Field label={t('assistants.storeDescription')} help={t('assistants.storeDescriptionHelp')}>
              <TextArea
                rows={2}
                readOnly={readOnly}
                value={store.description}
                onChange={(event) => put(at, { description: event.target.value })}
              />
            </Field>
            <Switch
              spread
              label={t('assistants.sources')}
              help={t('assistants.sourcesHelp')}
              checked={store.returnSourceDocuments}
              disabled={readOnly}
              onChange={(returnSourceDocuments) => put(at, { returnSourceDocuments })}
            />
          </Fields>
        ),
        remove: () => onChange(stores.filter((_, index) => index !== at)),
      }))}
      add={{
        label: t('assistants.addStore'),
        options: left?.map(({ name, label, description }) => ({
          value: name,
          label,
          ...(description ? { description } : {}),
        })),
        failure: error?.message ?? null,
        pick: (id) => {
          const chosen = choices?.find(({ name }) => name === id);
          if (!chosen) return;
          const { label, description = '' } = chosen;
          onChange([...stores, { id, name: label, description, returnSourceDocuments: true }]);
        },
      }}
    />
  );
}
