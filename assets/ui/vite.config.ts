import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// FLOWKEEP_URL: the address of a running service, for `npm run dev`.
const service = process.env.FLOWKEEP_URL ?? 'http://127.0.0.1:3000';

/** Libraries that are loaded together. Order matters: the first that fits wins. */
const groups = [
  // use-sync-external-store and wouter stay with react, or every page preloads the canvas library.
  {
    name: 'react',
    test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|wouter|regexparam|mitt|@tanstack)\//,
  },
  { name: 'flow', test: /node_modules\/(@xyflow|d3-[a-z]+|zustand|classcat)\// },
  { name: 'editor', test: /node_modules\/(@codemirror|@lezer|style-mod|w3c-keyname|crelt|@marijn)\// },
  { name: 'markdown', test: /node_modules\/(marked|dompurify)\// },
  {
    name: 'radix',
    test: /node_modules\/(radix-ui|@radix-ui(?!\/react-(?:select|popover|tabs|toggle|toggle-group|switch|checkbox|menu|dropdown-menu|context-menu)\/)|@floating-ui|react-remove-scroll[a-z-]*|react-style-singleton|use-callback-ref|use-sidecar|get-nonce|detect-node-es|tslib)\//,
  },
  // What every page begins with, and what comes around the screens of those who are signed in: each with all that it needs.
  { name: 'start', test: /src\/app\/App\.tsx$/ },
  { name: 'Shell', test: /src\/app\/Shell\.tsx$/ },
  // What the frame does not need is loaded with the first screen that does; the editor opens without a list of choices.
  { name: 'select', test: /node_modules\/@radix-ui\/react-select\// },
  {
    name: 'inputs',
    test: /node_modules\/@radix-ui\/react-(popover|tabs|toggle|toggle-group|switch|checkbox|context-menu)\//,
  },
  { name: 'commands', test: /node_modules\/cmdk\// },
];

export default defineConfig({
  // Parts name one another from where they are, and the server puts the path before all of them into the documents.
  base: './',
  plugins: [react()],
  // What the primitives take from that package is done better where a browser knows `inert`.
  resolve: { alias: { 'aria-hidden': fileURLToPath(new URL('src/ui/hideOthers.ts', import.meta.url)) } },
  build: {
    target: 'es2022',
    outDir: '../dist',
    emptyOutDir: true,
    sourcemap: false,
    assetsInlineLimit: 0,
    assetsDir: 'app',
    reportCompressedSize: false,
    // Chromium keeps that a module it was to preload did not come, so that it could not be had when the server was back.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
    rolldownOptions: {
      output: {
        entryFileNames: 'app/[name]-[hash].js',
        chunkFileNames: 'app/[name]-[hash].js',
        assetFileNames: 'app/[name]-[hash][extname]',
        codeSplitting: { groups },
      },
    },
  },
  server: { proxy: { '/api/': { target: service, changeOrigin: true, headers: { origin: service } } } },
  test: {
    maxWorkers: '100%',
    css: { modules: { classNameStrategy: 'non-scoped' } },
    // A page for each file takes longer to make than most files take to run, so only those have one that need it.
    projects: [
      {
        extends: true,
        test: {
          name: 'rules',
          environment: 'node',
          include: ['src/**/*.test.ts'],
          exclude: ['src/**/*.page.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'page',
          environment: 'happy-dom',
          include: ['src/**/*.page.test.ts', 'src/**/*.test.tsx'],
          setupFiles: ['src/test-setup.ts'],
        },
      },
    ],
  },
});
