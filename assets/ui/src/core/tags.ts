/** Tags of a flow are kept in one text, separated by `;`. */

export function tagsOf(category: string | null | undefined): string[] {
  const all = (category ?? '').split(';').map((tag) => tag.trim());
  return [...new Set(all.filter(Boolean))];
}

export function joinTags(tags: readonly string[]): string {
  return tags.map((tag) => tag.replaceAll(';', ',')).join(';');
}
