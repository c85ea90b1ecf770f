import type { ImportItem, ImportResult, PublishResults } from '../../api/transfer';

/** Where an imported flow is here. */
export const homeOf = (item: ImportItem): string | null => item.newId ?? item.id ?? null;

/** Flows that came in: only they have a type in the answer. */
export const flowsIn = (result: ImportResult): string[] =>
  result.items.flatMap((item) => {
    const home = item.type && item.action !== 'refused' ? homeOf(item) : null;
    return home === null ? [] : [home];
  });

/** Whether there is nothing to tell but that one flow comes in. */
export function isPlain({ items, unsupported }: ImportResult): boolean {
  const [item, ...others] = items;
  return (
    item?.action === 'create' &&
    Boolean(item.type) &&
    others.length === 0 &&
    unsupported.length === 0 &&
    !item.reason &&
    (item.notes ?? []).length === 0
  );
}

/** What is to be told of a thing, one sentence each: why, what to know, and what is wrong with it. */
export const tellings = (item: ImportItem): string[] => [
  ...(item.reason ? [item.reason] : []),
  ...(item.notes ?? []),
  ...(item.problems ?? []).flatMap(({ id, label, issues }) =>
    issues.map((issue) => (id ? `${label}: ${issue}` : issue)),
  ),
];

/** Flows that were not published, with what keeps them. */
export const unpublished = (results: PublishResults): { id: string; name: string | null; why: string[] }[] =>
  results.results
    .filter(({ outcome }) => outcome === 'blocked' || outcome === 'refused')
    .map(({ id, name, reason, problems }) => ({
      id,
      name,
      why: [
        ...(reason ? [reason] : []),
        ...problems
          .filter(({ blocks }) => blocks)
          .flatMap(({ label, id: card, issues }) =>
            issues.map((issue) => (card ? `${label}: ${issue}` : issue)),
          ),
      ],
    }));
