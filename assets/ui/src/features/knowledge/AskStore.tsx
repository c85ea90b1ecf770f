import { RotateCw, Search, TextQuote } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { pageOfPassage, useFound, usePlaceOf, type Found, type Store } from '../../api/stores';
import { Banner, Button, EmptyState, Field, Input, toast, useAddress } from '../../ui';
import css from './Knowledge.module.css';
import { FoundPassage } from './FoundPassage';
import { t } from './words';

/** Looks in the store as a flow would, and leads to the passages that were found. */
export default function AskStore({ store }: { store: Store }): ReactNode {
  const { read, put } = useAddress();
  const asked = read('ask');
  const [words, setWords] = useState(asked);
  // It stands in the address, so what was found is there again after a look at a passage.
  const ask = useFound(store.id, store.embeddingConfig === null ? '' : asked);
  const place = usePlaceOf(store.id);
  if (store.embeddingConfig === null)
    return (
      <EmptyState
        icon={Search}
        title={t('knowledge.noVectors')}
        actions={<Button onClick={() => put({ tab: 'search' })}>{t('knowledge.search')}</Button>}
      >
        {t('knowledge.noVectorsText')}
      </EmptyState>
    );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!words.trim()) return;
    if (words === asked) void ask.refetch();
    put({ ask: words });
  };
  // Who left meanwhile stays where they went: then nobody is told what came of it.
  const openPassage = (found: Found): void =>
    place.mutate(found, {
      onSuccess: (passage) =>
        passage === null
          ? toast(t('knowledge.notFoundText'))
          : put({
              tab: 'passages',
              document: '',
              find: '',
              page: pageOfPassage(passage.chunkNo),
              passage: passage.id,
            }),
    });
  return (
    <div className={css.ask}>
      <form className={css.askForm} onSubmit={send} role="search">
        <Field label={t('knowledge.askFor')} className={css.grow}>
          <Input value={words} onChange={(event) => setWords(event.target.value)} />
        </Field>
        <Button type="submit" variant="primary" icon={Search} busy={ask.isFetching}>
          {t('knowledge.ask')}
        </Button>
      </form>
      {ask.error && (
        <Banner
          tone="danger"
          actions={<Button onClick={() => put({ tab: 'search' })}>{t('knowledge.toSearch')}</Button>}
        >
          {ask.error.message}
        </Banner>
      )}
      {!ask.data && !ask.error && (
        <EmptyState icon={Search} title={t('knowledge.askEmpty')}>
          {t('knowledge.askEmptyText')}
        </EmptyState>
      )}
      {ask.data && (
        <>
          <p role="status">
            {ask.data.docs.length === 0
              ? t('knowledge.askNothing')
              : t('knowledge.askTook', { count: ask.data.docs.length, ms: ask.data.timeTaken })}
          </p>
          <ol className={css.list} aria-label={t('knowledge.passages')}>
            {ask.data.docs.map((found, at) => (
              <FoundPassage
                key={at}
                found={found}
                fault={
                  place.error &&
                  place.variables === found && (
                    <Banner
                      tone="danger"
                      title={t('knowledge.notLookedUp')}
                      actions={
                        <Button size="compact" icon={RotateCw} onClick={() => openPassage(found)}>
                          {t('kit.retry')}
                        </Button>
                      }
                    >
                      {place.error.message}
                    </Banner>
                  )
                }
              >
                <Button
                  size="compact"
                  icon={TextQuote}
                  busy={place.isPending && place.variables === found}
                  onClick={() => openPassage(found)}
                >
                  {t('knowledge.openPassage')}
                </Button>
              </FoundPassage>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
