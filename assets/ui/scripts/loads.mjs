// What a browser loads of the built page, read from the page and from its scripts.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const dist = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist');

/** The text of each script, by its name. */
const scripts = new Map(
  readdirSync(join(dist, 'app'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, readFileSync(join(dist, 'app', name), 'utf8')]),
);

/** The scripts that cannot run without one another, from this one on. */
function withImports(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, other] of scripts.get(name).matchAll(/(?:from|import)["'`]\.\/([^"'`]+\.js)["'`]/g))
    withImports(other, found);
  return found;
}

/** The scripts and style sheets that every page loads. */
export function shell() {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  return [...html.matchAll(/"[./]*(app\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path);
}

/** The scripts and style sheets that come with parts which are loaded when they are first needed, by the names of their files. */
export function parts(...names) {
  return [...new Set(names.flatMap(part))];
}

function part(name) {
  for (const text of scripts.values()) {
    const call = new RegExp(
      `import\\(["'\`]\\./(${name}-[\\w-]{8}\\.js)["'\`]\\)((?:(?!import\\().){0,120}?__vite__mapDeps\\(\\[([\\d,]*)\\]\\))?`,
    );
    const found = call.exec(text);
    if (!found) continue;
    const listed = /__vite__mapDeps=.*?m\.f=\[(.*?)\]/.exec(text)?.[1] ?? '';
    // Named as seen from the script, so that the page may lie below any path.
    const files = [...listed.matchAll(/"([^"]+)"/g)].map(([, path]) => join('app', path));
    const needed = (found[3] ?? '')
      .split(',')
      .filter(Boolean)
      .map((at) => files[Number(at)]);
    return [...[...withImports(found[1])].map((script) => `app/${script}`), ...needed];
  }
  throw new Error(`No script of the page loads a part called ${name}.`);
}
