// Compares what the page loads with its budgets (compressed sizes, in kB).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dist, parts, shell } from './loads.mjs';

const kb = (bytes) => Math.round(bytes / 102.4) / 10;
const gz = (path) => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length;
const sum = (paths) => [...new Set(paths)].reduce((total, path) => total + gz(path), 0);
const without = (paths, had) => paths.filter((path) => !had.includes(path));
const raw = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0);
const font = readdirSync(join(dist, 'app')).filter((name) => /inter-latin-(?!ext).*\.woff2$/.test(name));

const base = [...shell(), ...parts('Shell')];
// The browser tests hold these three against what a browser asks for.
const signIn = [...shell(), ...parts('SignInPage')];
const flows = [...base, ...parts('FlowsPage')];
const editor = [...base, ...parts('FlowScreen', 'Board', 'CardDock', 'PublishButton')];
const rows = [
  ['Sign-in', sum(signIn), 150],
  // The first screen is that of sign-in; what surrounds every screen may be a little more.
  ['Shell', sum(base), 155],
  ['Flows, first open', sum(flows), 200],
  ['Editor, first open', sum(editor), 350],
  ['Panel of a card', sum(without(parts('CardPanel'), editor)), 30],
  ['Chat panel', sum(without(parts('TestPanel'), editor)), 24],
  ['Markdown of answers', sum(without(parts('MarkdownText'), [...editor, ...parts('TestPanel')])), 30],
  ['Versions', sum(without(parts('Versions'), editor)), 30],
  ['Check', sum(without(parts('CheckPanel', 'CheckLine'), [...editor, ...parts('PublishDialog')])), 30],
  ['Executions', sum(without(parts('ExecutionsPage'), base)), 45],
  ['One execution', sum(without(parts('ExecutionPage'), base)), 45],
  ['Runs of a pipeline', sum(without(parts('PipelineRuns'), editor)), 30],
  ['Knowledge', sum(without(parts('KnowledgePage', 'KnowledgeScreen'), base)), 45],
  [
    'Adding documents',
    sum(without(parts('LoaderForm', 'CardSettings'), [...base, ...parts('KnowledgeScreen')])),
    45,
  ],
  ['Conversations', sum(without(parts('ConversationsPage'), base)), 45],
  ['One conversation', sum(without(parts('ConversationPage'), base)), 45],
  ['Usage', sum(without(parts('UsagePage'), base)), 45],
  ['Server', sum(without(parts('ServerPage'), base)), 45],
  ['Home', sum(without(parts('HomePage'), base)), 45],
  ['Templates', sum(without(parts('TemplatesScreen'), base)), 45],
  ['Assistants', sum(without(parts('AssistantsPage'), base)), 45],
  ['Form of an assistant', sum(without(parts('AssistantFlow', 'CardSettings'), editor)), 45],
  ['Git copy', sum(without(parts('GitCopyPage'), base)), 35],
  ['Promotion', sum(without(parts('PromotePage', 'PromoteScreen'), base)), 40],
  ['Settings of a flow', sum(without(parts('FlowSettings'), editor)), 32],
  ['Code editor', sum(without(parts('CodeEditor'), editor)), 160],
  // Each with the texts of both languages: a page of another site loads one file and no more.
  ['Widget', gz('widget.js'), 21],
  ['Shared chat page', gz('chat.js'), 20.5],
  ['German', sum(parts('de')), 45],
  ['Font', sum(font.map((name) => `app/${name}`)), 48.5],
  // With every language there is; a browser loads one.
  ['Whole, raw', raw, 2800],
];
let over = false;
for (const [name, bytes, limit] of rows) {
  const size = kb(bytes);
  over ||= size > limit;
  console.log(
    `${size > limit ? 'OVER' : 'ok  '}  ${name.padEnd(18)} ${String(size).padStart(7)} kB of ${limit}`,
  );
}
process.exitCode = over ? 1 : 0;
