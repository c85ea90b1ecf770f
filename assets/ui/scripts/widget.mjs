// Builds what of the embeddable chat is there: `widget.js`, then `chat.html` with `chat.js`.
import { existsSync } from 'node:fs';
import { build } from 'vite';

const configFile = 'vite.widget.config.ts';
if (existsSync('src/widget/index.ts')) await build({ configFile });
if (existsSync('src/widget/page.ts')) await build({ configFile, mode: 'page' });
