// Compares the built files with the budgets of the page (compressed sizes, in kB).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist');
const kb = (bytes) => Math.round(bytes / 102.4) / 10;
const gz = (path) => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length;
const app = readdirSync(join(dist, 'app'));
const named = (pattern) => app.filter((name) => pattern.test(name)).map((name) => `app/${name}`);
const sum = (paths) => paths.reduce((total, path) => total + gz(path), 0);
const html = readFileSync(join(dist, 'index.html'), 'utf8');
const shell = [...html.matchAll(/"\/(app\/[^"]+\.(?:js|css))"/g)].map((match) => match[1]);
const raw = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0);

const rows = [
  ['Shell', kb(sum(shell)), 160],
  [
    'Shell and canvas',
    kb(sum([...new Set([...shell, ...named(/^(flow|canvas|editor-page)-.*\.(js|css)$/i)])])),
    250,
  ],
  ['Chat panel', kb(sum(named(/^(markdown|chat|testpanel)-.*\.(js|css)$/i))), 45],
  ['Versions', kb(sum(named(/^versions-.*\.(js|css)$/i))), 30],
  ['Code editor', kb(sum(named(/^(editor|codeeditor)-.*\.(js|css)$/i))), 160],
  ['Widget', kb(sum(readdirSync(dist).filter((name) => name === 'widget.js'))), 20],
  ['Font', kb(sum(named(/inter-latin-(?!ext).*\.woff2$/))), 48.5],
  ['Whole, raw', kb(raw), 2500],
];
let over = false;
for (const [name, size, limit] of rows) {
  over ||= size > limit;
  console.log(
    `${size > limit ? 'OVER' : 'ok  '}  ${name.padEnd(18)} ${String(size).padStart(7)} kB of ${limit}`,
  );
}
process.exitCode = over ? 1 : 0;
