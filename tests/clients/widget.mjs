// Flowise's chat widget in a browser, before agentflows: it shows the steps, asks a person and goes on after the click,
// has a tool of an Agent approved, and starts a flow with its form. `widget.mjs FLOWS SCRIPT READY [PICTURES]`: the flows as
// JSON, the widget's script as it is published, what the service said when it was ready, and a folder that pictures are left
// in when it is named.
import assert from 'node:assert/strict';
import { flows, owner, PATIENCE, picture, say, shop, take, visit } from './widget_shop.mjs';

const { baseUrl, approval, tool, form } = flows;

/** Clicks a button below the newest message, and sends what the person writes beside it. */
async function decide({ page, chat }, button, feedback) {
  await chat.getByText(button, { exact: true }).last().click(PATIENCE);
  await page.locator('textarea').last().fill(feedback);
  await picture(page, button.toLowerCase());
  await page.getByText('Submit', { exact: true }).last().click(PATIENCE);
}

async function looksAtSteps({ page, chat }) {
  await chat.getByText('Traces', { exact: true }).last().click(PATIENCE);
  await page.getByText('Process Flow').waitFor(PATIENCE);
  for (const step of ['Start', 'Writer']) await page.getByText(step, { exact: true }).first().waitFor(PATIENCE);
  await picture(page, 'steps');
}

/** A person refuses once, with a word about why, and then agrees. */
async function approves() {
  const seen = await visit(approval);
  await say(seen, 'socks');
  await seen.chat.getByText('A draft about socks.').waitFor(PATIENCE);
  await seen.chat.getByText('Proceed', { exact: true }).waitFor(PATIENCE);
  await picture(seen.page, 'asked');
  await decide(seen, 'Reject', 'Please be kind');
  await seen.chat.getByText('A kind draft.').waitFor(PATIENCE);
  await seen.chat.getByText('Proceed', { exact: true }).last().waitFor(PATIENCE);
  await decide(seen, 'Proceed', '');
  await seen.chat.getByText('Sent: A kind draft.').waitFor(PATIENCE);
  await picture(seen.page, 'sent');
  const decided = seen.asked.map(({ humanInput }) => humanInput?.type);
  assert.deepEqual(decided, [undefined, 'reject', 'proceed']);
  await looksAtSteps(seen);
  assert.deepEqual(seen.faults, []);
  await seen.close();
}

/** A person lets an Agent call its tool in one conversation, and refuses it in another. */
async function approvesTools() {
  for (const [button, type, said] of [
    ['Proceed', 'proceed', 'It is 42.'],
    ['Reject', 'reject', 'Then I do not know.'],
  ]) {
    const seen = await visit(tool);
    await say(seen, 'How much?');
    await seen.chat.getByText('calculator').first().waitFor(PATIENCE);
    await seen.chat.getByText(button, { exact: true }).last().click(PATIENCE);
    await seen.chat.getByText(said).waitFor(PATIENCE);
    await picture(seen.page, `tool-${type}`);
    const decided = seen.asked.map(({ humanInput }) => humanInput?.type);
    assert.deepEqual(decided, [undefined, type]);
    assert.deepEqual(seen.faults, []);
    await seen.close();
  }
}

/** The form is filled in, and what is asked later counts on it. */
async function fills() {
  const seen = await visit(form);
  const field = (name) => seen.page.locator(`[name=${name}]`);
  await seen.page.getByText('Order of socks').waitFor(PATIENCE);
  await picture(seen.page, 'form');
  await field('name').fill('Ann');
  await field('count').fill('3');
  await field('wrapped').check();
  await field('colour').selectOption('blue');
  await seen.page.getByText('Submit', { exact: true }).click();
  const said = 'Ann: 3 of blue, wrapped true.';
  await seen.chat.getByText(said).waitFor(PATIENCE);
  await picture(seen.page, 'form-answered');
  assert.deepEqual(seen.asked[0].form, { name: 'Ann', count: 3, wrapped: true, colour: 'blue' });
  await say(seen, 'The same again');
  await seen.chat.getByText(said).nth(1).waitFor(PATIENCE);
  assert.deepEqual(seen.faults, []);
  await seen.close();
}

/** On another origin the owner lists the page, and the page has its requests carry the cookie. */
async function approvesElsewhere() {
  await owner('PUT', `/chatflows/${approval}`, { chatbotConfig: JSON.stringify({ allowedOrigins: [shop.base] }) });
  const seen = await visit(approval, baseUrl, true);
  await say(seen, 'ropes');
  await seen.chat.getByText('Proceed', { exact: true }).waitFor(PATIENCE);
  await decide(seen, 'Proceed', '');
  await seen.chat.getByText('Sent: A draft about ropes.').waitFor(PATIENCE);
  assert.deepEqual(seen.faults, []);
  await seen.close();
}

await take(
  [approves, approvesTools, fills, approvesElsewhere],
  'showed steps, asked a person, had a tool approved, started with a form',
);
