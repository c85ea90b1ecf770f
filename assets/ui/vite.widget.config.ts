import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

// Two builds of one source: `widget.js` for other people's pages, and with `--mode page` the full-page chat,
// `chat.html` with `chat.js`. Neither empties dist: the app is built first.
const entries = { widget: 'src/widget/index.ts', chat: 'src/widget/page.ts' } as const;

/** Copies src/widget/chat.html beside chat.js. */
function page(): Plugin {
  return {
    name: 'chat-page',
    buildStart() {
      this.addWatchFile(resolve('src/widget/chat.html'));
    },
    async generateBundle() {
      const { readFile } = await import('node:fs/promises');
      this.emitFile({
        type: 'asset',
        fileName: 'chat.html',
        source: await readFile('src/widget/chat.html', 'utf8'),
      });
    },
  };
}

export default defineConfig(({ mode }) => {
  const name = mode === 'page' ? 'chat' : 'widget';
  const entry = entries[name];
  return {
    publicDir: false,
    plugins: name === 'chat' && existsSync('src/widget/chat.html') ? [page()] : [],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      target: 'es2022',
      outDir: '../dist',
      emptyOutDir: false,
      sourcemap: false,
      reportCompressedSize: false,
      modulePreload: false,
      // Not the library mode: it keeps the white space of modules.
      rolldownOptions: {
        input: entry,
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: `${name}.js`, format: 'es', codeSplitting: false },
      },
    },
  };
});
