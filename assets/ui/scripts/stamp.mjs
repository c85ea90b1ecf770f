// Writes assets/dist.sha256: one hash of the source, and the hash of every built file. A server test recomputes both.
// It lies beside what is built, which goes into the program as it is.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ui = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(ui, '..', 'dist');
const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');
/** Folders directly under assets/ui that are no source. Dot-folders belong to tools. */
const skipped = new Set(['node_modules', 'e2e']);

function files(root, folder = root) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return entry.isFile() ? [relative(root, path).split(sep).join('/')] : [];
    if (entry.name.startsWith('.') || (folder === ui && skipped.has(entry.name))) return [];
    return files(root, path);
  });
}

function listing(root) {
  return files(root)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((path) => `${sha(readFileSync(join(root, path)))}  ${path}\n`)
    .join('');
}

writeFileSync(join(ui, '..', 'dist.sha256'), `source ${sha(listing(ui))}\n${listing(dist)}`);
