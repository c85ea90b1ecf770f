import { Search, TextQuote } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { passagesOf, useFound, type Found, type Passage, type Store } from '../../api/stores';
import { Banner, Button, EmptyState, Field, Input, toast, useAddress } from '../../ui';
import css from './Knowledge.module.css';
import { Metadata } from './Passages';
import { t } from './words';

/** How many pages are looked through for a passage: what is found does not say where it stands. */
const PAGES = 40;
const LIMIT = 50;

/** Looks in the store as a flow would, and leads to the passages that were found. */
export default function AskStore({ store }: { store: Store }): ReactNode {
  const { read, put } = useAddress();
  const asked = read('ask');
  const [words, setWords] = useState(asked);
  // It stands in the address, so what was found is there again after a look at a passage.
  const ask = useFound(store.id, store.embeddingConfig === null ? '' : asked);
  const [looking, setLooking] = useState<number | null>(null);
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
  const openPassage = async (found: Found, at: number): Promise<void> => {
    setLooking(at);
    const place = await find(store, found.pageContent).catch(() => null);
    setLooking(null);
    if (place === null) return toast(t('knowledge.notFoundText', { count: PAGES * LIMIT }));
    put({
      tab: 'passages',
      document: '',
      page: place.page > 1 ? String(place.page) : '',
      passage: place.passage.id,
    });
  };
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
      {store.status === 'SYNC' && <Banner tone="info">{t('knowledge.passagesChanged')}</Banner>}
      {ask.error && <Banner tone="danger">{ask.error.message}</Banner>}
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
              <li key={at} className={css.passage}>
                <div className={css.documentHead}>
                  <span className={css.name}>
                    <strong title={t('knowledge.likeness')}>
                      {t('knowledge.distance', { score: found.score.toFixed(3) })}
                    </strong>
                  </span>
                  <Button
                    size="compact"
                    icon={TextQuote}
                    busy={looking === at}
                    onClick={() => void openPassage(found, at)}
                  >
                    {t('knowledge.openPassage')}
                  </Button>
                </div>
                <p className={css.words}>{found.pageContent}</p>
                <Metadata of={found.metadata} />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

async function find(store: Store, text: string): Promise<{ page: number; passage: Passage } | null> {
  for (let page = 1; page <= PAGES; page += 1) {
    const { chunks, count } = await passagesOf(store.id, page);
    const passage = chunks.find((one) => one.pageContent === text);
    if (passage) return { page, passage };
    if (page * LIMIT >= count) return null;
  }
  return null;
}
