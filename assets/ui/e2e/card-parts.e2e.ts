/** Parts of the card panel that do more than hold a value: code that is tried, answers that are described, starts from outside. */
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { says, START, Steps } from './agentflows';
import { axe, missing, serviceForTests, shot } from './harness';
import type { Page } from 'playwright-core';

const shell = promisify(exec);
const size = { width: 1440, height: 1000 };
const looks = [
  { width: 1440, height: 1000, scheme: 'light' },
  { width: 1024, height: 900, scheme: 'dark' },
] as const;

describe.skipIf(missing)('a card of the editor', () => {
  const { service, signedIn } = serviceForTests();
  const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Node' });
  const at = (flow: string, node: string): string => `/flows/${flow}?node=${node}`;
  /** Steps that the clock starts once a week, with these inputs for each run. */
  const everyMonday = (run: Record<string, string>): Steps =>
    new Steps({
      startInputType: 'scheduleInput',
      scheduleType: 'cronExpression',
      scheduleCronExpression: '0 9 * * MON',
      scheduleTimezone: 'Europe/Berlin',
      ...run,
    })
      .card('llmAgentflow_0', 'Answer', says('Yes'))
      .edge(START, 'llmAgentflow_0');

  it('tries its code with examples, and says where it fails', async () => {
    const code = 'console.log("asked", $who);\nconst n = $flow.state.count;\nreturn { hello: $who, n };';
    const flow = await new Steps()
      .card('customFunctionAgentflow_0', 'Greet', {
        customFunctionInputVariables: [{ variableName: 'who', variableValue: '{{ question }}' }],
        customFunctionJavascriptFunction: code,
      })
      .edge(START, 'customFunctionAgentflow_0')
      .flow(service, 'Code');
    const { page, close } = await signedIn(at(flow, 'customFunctionAgentflow_0'), size);
    const panel = panelOf(page);
    await panel.getByText('Try the code').click();
    await panel.getByRole('textbox', { name: '$who' }).fill('Ada');
    await panel.getByRole('textbox', { name: '$flow.state.count' }).fill('[1]');
    await panel.getByRole('button', { name: 'Run' }).click();
    await panel.getByText('"hello": "Ada"').waitFor();
    await panel.getByText('asked Ada').waitFor();
    await axe(page);
    await panel.getByText('asked Ada').scrollIntoViewIfNeeded();
    await shot(page, 'code-tried');
    const editor = panel.locator('.cm-content').first();
    await editor.fill('console.warn("careful");\nthrow new Error("broken");');
    await panel.getByRole('button', { name: 'Run' }).click();
    await panel.getByText('No result: line 2').waitFor();
    await axe(page);
    await shot(page, 'code-failed');
    await close();
  });

  it('shows what a model is sent for the keys of its answer, and what is wrong at its row', async () => {
    const flow = await new Steps()
      .card('llmAgentflow_0', 'Judge', {
        ...says('{"mood": "good"}'),
        llmStructuredOutput: [
          { key: 'mood', type: 'enum', enumValues: 'good, bad', description: 'How it sounds' },
          { key: 'tags', type: 'stringArray' },
        ],
      })
      .edge(START, 'llmAgentflow_0')
      .flow(service, 'Answer');
    for (const look of looks) {
      const { page, close } = await signedIn(at(flow, 'llmAgentflow_0'), look);
      const panel = panelOf(page);
      await panel.getByText('What the model is sent').click();
      const example = panel.getByRole('region', { name: 'An answer that fits' });
      await example.getByText('"mood": "good"').waitFor();
      await axe(page);
      await example.scrollIntoViewIfNeeded();
      await shot(page, `answer-keys-${look.width}-${look.scheme}`);
      await close();
    }
    const { page, close } = await signedIn(at(flow, 'llmAgentflow_0'), size);
    const row = panelOf(page).getByRole('group', { name: 'Row 1' });
    await row.getByRole('textbox', { name: /^Values/ }).fill('');
    await row.getByText('Values: list at least one value.').waitFor();
    await axe(page);
    await row.scrollIntoViewIfNeeded();
    await shot(page, 'answer-keys-fault');
    await close();
  });

  it('is called as it says, also when calls are signed, and shows what came', async () => {
    const flow = await new Steps({
      startInputType: 'webhookTrigger',
      webhookMethod: 'POST',
      webhookContentType: 'application/json',
      webhookInputMode: 'payload',
      webhookEnableAuth: true,
      webhookEnableValidation: true,
      webhookBodyParams: [{ name: 'order', type: 'number', required: true }],
      webhookQueryParams: [{ name: 'page' }],
      webhookResponseMode: 'sync',
    })
      .card('llmAgentflow_0', 'Answer', says('Thank you'))
      .edge(START, 'llmAgentflow_0')
      .flow(service, 'Hook');
    const { page, close } = await signedIn(at(flow, START), size);
    const hook = panelOf(page).getByRole('region', { name: 'Webhook' });
    await hook.getByText('There is no secret yet').waitFor();
    await hook.getByRole('button', { name: 'Make a secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'The secret of the webhook' });
    const secret = (await dialog.locator('code').textContent()) ?? '';
    await axe(page);
    await shot(page, 'webhook-secret');
    await dialog.getByRole('checkbox').click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await hook.getByText('A secret is set.').waitFor();
    await hook.getByRole('button', { name: 'Listen for a call' }).click();
    await hook.getByText('Listening. Call the webhook now.').waitFor();
    const line =
      (await hook.getByRole('region', { name: 'A call by curl' }).locator('pre').textContent()) ?? '';
    const { stdout } = await shell(line, { env: { ...process.env, WEBHOOK_SECRET: secret } });
    expect(stdout).toContain('Thank you');
    const came = hook.getByRole('region', { name: 'What came' });
    await came.getByText('"order": 1').waitFor();
    await hook.getByRole('region', { name: 'Answered' }).getByText('Thank you').waitFor();
    await axe(page);
    await came.scrollIntoViewIfNeeded();
    await shot(page, 'webhook-heard');
    await hook.getByRole('button', { name: 'Stop listening' }).click();
    await hook.getByRole('button', { name: 'Renew' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await hook.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove the secret' }).click();
    await hook.getByText('There is no secret yet').waitFor();
    await close();
  });

  it('says when its schedule would come before anything is published, as it is drawn', async () => {
    const flow = await everyMonday({ scheduleInputMode: 'none' }).flow(service, 'Only drawn', false);
    const { page, close } = await signedIn(at(flow, START), size);
    const clock = panelOf(page).getByRole('region', { name: 'Schedule' });
    await clock.getByText(/^Every Monday at 09:00/).waitFor();
    await clock.getByText(/^Once it is published/).waitFor();
    await clock.getByText(/^Next run: .*[78]:00:00/).waitFor();
    const later = clock.getByRole('list', { name: 'Times after that' }).getByRole('listitem');
    expect(await later.count()).toBe(4);
    // It follows what is set as soon as that is saved by itself.
    await panelOf(page)
      .getByRole('textbox', { name: /^Cron Expression/ })
      .fill('30 7 * * *');
    await clock.getByText(/^Every day at 07:30/).waitFor();
    await axe(page);
    await clock.scrollIntoViewIfNeeded();
    await shot(page, 'schedule-drawn');
    await close();
  });

  it('says beside the times of Live what publishing makes of them', async () => {
    const flow = await everyMonday({ scheduleInputMode: 'none' }).flow(service, 'Redrawn');
    const { page, close } = await signedIn(at(flow, START), size);
    const clock = panelOf(page).getByRole('region', { name: 'Schedule' });
    await clock.getByText(/^Every Monday at 09:00/).waitFor();
    expect(await clock.getByText(/what is drawn comes/).count()).toBe(0);
    const cron = panelOf(page).getByRole('textbox', { name: /^Cron Expression/ });
    await cron.fill('30 7 * * *');
    await clock.getByText(/^Once it is published/).waitFor();
    await clock.getByText(/^Every day at 07:30/).waitFor();
    await clock.getByText(/^Every Monday at 09:00/).waitFor();
    await axe(page);
    await close();
  });

  it('looks well where it starts by a call or by the clock', async () => {
    const webhook = await new Steps({ startInputType: 'webhookTrigger', webhookResponseMode: 'stream' })
      .card('llmAgentflow_0', 'Answer', says('Yes'))
      .edge(START, 'llmAgentflow_0')
      .flow(service, 'Plain hook', false);
    const report = { scheduleInputMode: 'text', scheduleDefaultInput: 'Report' };
    const schedule = await everyMonday(report).flow(service, 'Weekly');
    for (const look of looks) {
      const hook = await signedIn(at(webhook, START), look);
      const region = panelOf(hook.page).getByRole('region', { name: 'Webhook' });
      await region.getByRole('region', { name: 'A call by curl' }).scrollIntoViewIfNeeded();
      await axe(hook.page);
      await shot(hook.page, `webhook-${look.width}-${look.scheme}`);
      await hook.close();
      const { page, close } = await signedIn(at(schedule, START), look);
      const clock = panelOf(page).getByRole('region', { name: 'Schedule' });
      await clock.getByRole('list', { name: 'Times after that' }).waitFor();
      expect(await clock.getByRole('switch').isChecked()).toBe(true);
      await clock.getByRole('list', { name: 'Times after that' }).scrollIntoViewIfNeeded();
      await axe(page);
      await shot(page, `schedule-panel-${look.width}-${look.scheme}`);
      await close();
    }
  });
});
