/** Pages that hold edits when the session of their person ends: they stay, and the person signs in over them. */

/** What each of them does once the person is back. */
const pages = new Set<() => void>();

/** Keeps the page where it is when the session ends. Returns what lets go again. */
export function stayForSignIn(resume: () => void): () => void {
  pages.add(resume);
  return () => void pages.delete(resume);
}

export const staysForSignIn = (): boolean => pages.size > 0;

export function signedInAgain(): void {
  for (const resume of [...pages]) resume();
}
