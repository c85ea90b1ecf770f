import { Search } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useFoundInEach, type Store } from '../../api/stores';
import { Banner, Button, EmptyState, Field, Input, Skeleton, useAddress } from '../../ui';
import { FoundPassage } from './FoundPassage';
import css from './Knowledge.module.css';
import { t } from './words';

/** How many passages of each store are shown; all of them stand on the page of the store. */
const SHOWN = 3;

/**
 * Looks in every store at once. Each answers under its own name: how near passages of different embeddings are is not
 * to be compared.
 */
export default function AskAll({ stores }: { stores: readonly Store[] }): ReactNode {
  const { read, put } = useAddress();
  const asked = read('ask');
  const [words, setWords] = useState(asked);
  const ready = stores.filter(({ embeddingConfig }) => embeddingConfig !== null);
  const answers = useFoundInEach(
    ready.map(({ id }) => id),
    asked,
  );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (words.trim()) put({ ask: words });
  };
  const found = answers.reduce((count, { data }) => count + (data?.docs.length ?? 0), 0);
  const done = answers.every(({ isFetching }) => !isFetching);
  if (ready.length === 0)
    return (
      <EmptyState icon={Search} title={t('knowledge.noneReady')}>
        {t('knowledge.noneReadyText')}
      </EmptyState>
    );
  return (
    <div className={css.ask}>
      <form className={css.askForm} onSubmit={send} role="search">
        <Field label={t('knowledge.askAllFor')} className={css.grow}>
          <Input value={words} onChange={(event) => setWords(event.target.value)} />
        </Field>
        <Button type="submit" variant="primary" icon={Search} busy={asked !== '' && !done}>
          {t('knowledge.ask')}
        </Button>
      </form>
      {asked === '' ? (
        <EmptyState icon={Search} title={t('knowledge.askEmpty')}>
          {t('knowledge.askAllText', { count: ready.length })}
        </EmptyState>
      ) : (
        <p role="status">{done && t('knowledge.foundIn', { count: found })}</p>
      )}
      {asked !== '' &&
        ready.map((store, at) => (
          <section key={store.id} className={css.ask} aria-label={store.name}>
            <h2 className={css.storeName}>
              <Link
                href={`/knowledge/${store.id}?tab=ask&ask=${encodeURIComponent(asked)}`}
                className={css.storeLink}
              >
                {store.name}
              </Link>
            </h2>
            <Answers {...answers[at]} />
          </section>
        ))}
    </div>
  );
}

type Answer = Partial<ReturnType<typeof useFoundInEach>[number]>;

function Answers({ data, error }: Answer): ReactNode {
  if (error) return <Banner tone="danger">{error.message}</Banner>;
  if (!data) return <Skeleton lines={2} />;
  if (data.docs.length === 0) return <p className="muted">{t('knowledge.askNothing')}</p>;
  return (
    <ol className={css.list}>
      {data.docs.slice(0, SHOWN).map((one, at) => (
        <FoundPassage key={at} found={one} />
      ))}
    </ol>
  );
}
