/** Whether each word typed into a search is in one of the texts. */
export function includesWords(texts: readonly (string | null | undefined)[], typed: string): boolean {
  const all = fold(texts.filter(Boolean).join('\n'));
  return fold(typed)
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Small letters without accents. */
function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();
}
