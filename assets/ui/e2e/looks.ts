/** Every screen, and every panel and dialog over one, for tests that look at all of them. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Furnished } from './widths-support';

/** What is done on a screen before it is looked at: `button New flow`, `menuitem Delete`, `key ?`, or a file that is given to it. */
type Step = string | RegExp | { file: string };

export interface Look {
  name: string;
  path: string;
  steps?: Step[];
  /** On the canvas, which narrow pages do not draw on. */
  wide?: true;
}

/** The screens, by what is in the service. */
export const screens = (there: Furnished): Look[] => {
  const flow = `/flows/${there.chat}`;
  const settings = ['access', 'chat', 'files', 'mcp', 'overrides', 'post', 'publishing'];
  return [
    ['flows', '/'],
    ['flows-cards', '/?view=cards'],
    ['flows-none', '/?q=nothing-has-this-name'],
    ['editor', flow],
    ['editor-card', `${flow}?node=toolAgent_0`],
    ['editor-outline', `${flow}?view=outline`],
    ['editor-json', `${flow}?view=json`],
    ['steps', `/flows/${there.steps}`],
    ['steps-start', `/flows/${there.steps}?node=startAgentflow_0`],
    ['versions', `${flow}/versions`],
    ['runs', `/flows/${there.pipeline}/runs`],
    ['pipeline', `/flows/${there.pipeline}`],
    ['assistant', `/flows/${there.assistant}`],
    ...settings.map((one) => [`settings-${one}`, `${flow}/settings?section=${one}`]),
    ['assistants', '/assistants'],
    ['templates', '/templates'],
    ['templates-own', '/templates?tab=own'],
    ['executions', '/executions'],
    ['execution', `/executions/${there.run}`],
    ['conversations', '/conversations'],
    ['visitors', '/conversations?tab=visitors'],
    ['conversation', `/conversations/${there.chat}/${there.conversation}`],
    ['home', '/home'],
    ['usage', '/usage'],
    ['usage-days', '/usage?span=own&since=2026-01-01&until=2026-01-31'],
    ['knowledge', '/knowledge'],
    ['knowledge-ask', '/knowledge?tab=ask'],
    ['store', `/knowledge/${there.store}`],
    ['git-copy', '/git-copy'],
    ['promote', '/promote'],
    ['credentials', '/credentials'],
    ['variables', '/variables'],
    ['tools', '/tools'],
    ['servers', '/tools?tab=servers'],
    ['api-keys', '/api-keys'],
    ['users', '/users'],
    ['roles', '/roles'],
    ['workspaces', '/workspaces'],
    ['audit', '/audit'],
    ['server', '/server'],
    ['server-settings', '/server?tab=settings'],
    ['server-log', '/server?tab=log'],
    ['account', '/account'],
    ['nothing', '/nothing-is-here'],
  ].map(([name = '', path = '']) => ({ name, path }));
};

const variable = {
  id: '3f1d6c1e-1111-4111-8111-000000000003',
  name: 'shop',
  value: 'Harbour',
  type: 'static',
};

/** What opens over a screen or beside it. */
export const layers = (there: Furnished): Look[] => {
  const flow = `/flows/${there.chat}`;
  const store = `/knowledge/${there.store}`;
  const looks: [name: string, path: string, steps: Step[], wide?: true][] = [
    ['commands', '/', ['key ControlOrMeta+K']],
    ['shortcuts', '/', ['key ?']],
    ['new-flow', '/', ['button New flow']],
    ['import', '/', [{ file: JSON.stringify({ Variable: [variable] }) }]],
    ['flow-menu', '/', ['button Actions for Orders']],
    ['flow-rename', '/', ['button Actions for Orders', 'menuitem Rename']],
    ['flow-delete', '/', ['button Actions for Orders', 'menuitem Delete']],
    ['test', flow, ['button Test']],
    ['api', flow, ['button API']],
    ['api-openai', flow, ['button API', 'tab OpenAI']],
    ['api-mcp', flow, ['button API', 'tab MCP']],
    ['publish', flow, ['button Publish']],
    ['publish-menu', flow, ['button More ways to publish']],
    ['publish-changes', flow, ['button Publish', 'tab Changes']],
    ['check', flow, ['button Publish', 'tab Check']],
    ['discard', flow, ['button More ways to publish', 'menuitem Discard draft']],
    ['state', flow, ['button Unpublished changes']],
    ['changes', flow, [/^button \d+ changes since Live$/]],
    ['problems', flow, [/^button \d+ problems?$/]],
    ['quick-add', flow, ['button Add a card'], true],
    ['find', flow, ['button Find on the canvas'], true],
    ['card-menu', `${flow}?node=toolAgent_0`, ['button More for this card'], true],
    ['restore', `${flow}/versions?v=${there.version}`, ['button Restore to draft']],
    ['version-answers', `${flow}/versions?v=${there.version}`, ['button See its answers']],
    ['run-drawer', `/flows/${there.pipeline}/runs`, [/^link (now|.* ago)$/]],
    ['file-delete', `/flows/${there.pipeline}/runs`, ['button Delete parcels.jsonl']],
    ['write-instructions', `/flows/${there.assistant}`, ['button Write with the model']],
    ['template-use', '/templates', ['button Triage with approval']],
    ['template-new', '/templates?tab=own', ['button New template']],
    ['template-edit', '/templates?tab=own', ['button Actions for House rules', 'menuitem Edit']],
    ['template-delete', '/templates?tab=own', ['button Actions for House rules', 'menuitem Delete']],
    ['new-assistant', '/assistants', ['button New assistant']],
    ['share', `/executions/${there.run}`, ['button Share']],
    ['run-open', `/executions/${there.run}`, ['button Open all']],
    ['run-delete', `/executions/${there.run}`, ['button Delete']],
    ['usage-span', '/usage', ['combobox Span']],
    ['messages-export', '/conversations', ['button Export']],
    ['messages-delete-all', '/conversations?source=EXTERNAL', ['button Delete these']],
    ['messages-delete', `/conversations/${there.chat}/${there.conversation}`, ['button Delete']],
    ['new-store', '/knowledge', ['button New store']],
    ['store-delete', '/knowledge', ['button Actions for Parcels', 'menuitem Delete store']],
    ['store-rename', store, ['button Rename']],
    ['store-use', store, ['button Use in a flow']],
    ['documents', store, ['button Add documents']],
    ['document-menu', store, ['button Actions for Plain Text']],
    ['passages', store, [/^tab Passages/]],
    ['search', store, ['tab Search']],
    ['ask', store, ['tab Ask']],
    ['connect', '/git-copy', ['button Connect a repository']],
    ['new-credential', '/credentials', ['button New credential']],
    ['credential', '/credentials', ['button Provider']],
    ['credential-delete', '/credentials', ['button Actions for Provider', 'menuitem Delete']],
    ['new-variable', '/variables', ['button New variable']],
    ['variable', '/variables', ['button town']],
    ['new-tool', '/tools', ['button New tool']],
    ['tool', '/tools', ['button get_weather']],
    ['new-server', '/tools?tab=servers', ['button New server']],
    ['new-key', '/api-keys', ['button New key']],
    ['key', '/api-keys', ['button throwaway']],
    ['permissions', '/api-keys', [/^button Everything/]],
    ['invite', '/users', ['button Invite']],
    ['person-menu', '/users', ['button Actions for Owner']],
    ['new-role', '/roles', ['button New role']],
    ['role', '/roles', ['button Editor']],
    ['new-workspace', '/workspaces', ['button New workspace']],
    ['workspace', '/workspaces', ['button Default Workspace']],
    ['language', '/account', ['combobox Language']],
  ];
  return looks.map(([name, path, steps, wide]) => ({ name, path, steps, ...(wide && { wide }) }));
};

async function take(page: Page, step: Step): Promise<void> {
  if (typeof step === 'object' && 'file' in step) {
    const buffer = Buffer.from(step.file);
    const files = { name: 'flow.json', mimeType: 'application/json', buffer };
    return page.locator('input[type=file]').first().setInputFiles(files);
  }
  const text = typeof step === 'string' ? step : step.source;
  const [, role = '', rest = ''] = /^\^?(\w+) (.*)$/.exec(text) ?? [];
  if (role === 'key') return page.keyboard.press(rest);
  const named = typeof step === 'string' ? { name: rest, exact: true } : { name: new RegExp(`^${rest}`) };
  await page
    .getByRole(role as 'button', named)
    .first()
    .click({ timeout: 5000 });
}

/** What lies over a screen. */
const LAYER = ['dialog', 'alertdialog', 'menu', 'listbox'].map((role) => `[role=${role}]`).join(',');

/** These are shown beside the rest of a screen. */
const isPart = /^(test|run-open|passages|search|ask|run-drawer)$/;

/** Shows one of these, with all that it loads. */
export async function show(page: Page, { name, path, steps = [] }: Look): Promise<void> {
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  for (const step of steps) await take(page, step);
  if (steps.length > 0 && !isPart.test(name)) await page.locator(LAYER).first().waitFor();
  await expect
    .poll(() =>
      page
        .getByRole('status')
        .filter({ hasText: /^Loading/ })
        .count(),
    )
    .toBe(0);
}
