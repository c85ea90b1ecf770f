/** Parts of the page that are loaded when they are first needed. */
import { answers, untilItAnswers } from './connection';

/** A part that the service does not have: the tab was open across an upgrade. */
export class LostPart extends Error {
  override readonly name = 'LostPart';
}

const isUnloaded = (fault: unknown): boolean =>
  fault instanceof Error &&
  /dynamically imported module|importing a module script|preload css/i.test(fault.message);

/** Loads a part, and again when the service answers after it did not. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await load();
    } catch (fault) {
      if (!isUnloaded(fault)) throw fault;
      const there = await answers();
      if (there && tries > 0) throw new LostPart((fault as Error).message, { cause: fault });
      if (!there) await untilItAnswers();
      await loadStyles();
    }
  }
}

/** The loader asks for a style sheet once, and takes it for loaded afterwards. */
async function loadStyles(): Promise<void> {
  const failed = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter(
    ({ sheet }) => sheet === null,
  );
  await Promise.all(
    failed.map(
      (old) =>
        new Promise<void>((done) => {
          const link = old.cloneNode() as HTMLLinkElement;
          link.onload = link.onerror = () => done();
          old.replaceWith(link);
        }),
    ),
  );
}
