// Flowise's chat widget in a browser, before a chatflow and a Sequential Agent flow: a visitor says who they are, asks by a starter
// prompt and by a follow-up, shows a document and rates an answer; members ask a person. Run as `widget.mjs` is.
import assert from 'node:assert/strict';
import { flows, owner, PATIENCE, picture, say, shop, SUGGESTED, take, visit } from './widget_shop.mjs';

const { visited, members } = flows;

/** What the owner has the chat ask and offer, as editors save it: the widget reads of follow-ups in the settings of the chat. */
function furnish(chat) {
  const ollama = { baseUrl: `${shop.base}/model`, modelName: 'any' };
  return owner('PUT', `/chatflows/${visited}`, {
    chatbotConfig: JSON.stringify({ ...chat, followUpPrompts: { status: true } }),
    followUpPrompts: JSON.stringify({ status: true, selectedProvider: 'ollama', ollama }),
  });
}

async function rates({ page, chat }) {
  await chat.getByTitle('Thumbs Up').last().click(PATIENCE);
  await page.getByText('Submit Feedback').waitFor(PATIENCE);
  await chat.locator('textarea').first().fill('Well said');
  await picture(page, 'rated');
  await page.getByText('Submit Feedback').click(PATIENCE);
}

async function shows({ page, chat }) {
  const buffer = Buffer.from('all about oil for lamps');
  await page.locator('input[type=file]').setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer });
  await chat.getByText('note.txt').waitFor(PATIENCE);
  await say({ page, chat }, 'What is in it?');
  await chat.getByText('I read about the oil.').waitFor(PATIENCE);
}

async function asksOn() {
  await furnish({
    starterPrompts: { 0: { prompt: 'Where is my order?' } },
    chatFeedback: { status: true },
    fullFileUpload: { status: true, allowedUploadFileTypes: 'text/plain' },
  });
  const seen = await visit(visited);
  await seen.chat.getByText('Where is my order?').click(PATIENCE);
  await seen.chat.getByText('You said: Where is my order?').waitFor(PATIENCE);
  // They come when the answer is whole, and no answer is rated before.
  await seen.chat.getByText(SUGGESTED[1], { exact: true }).waitFor(PATIENCE);
  await rates(seen);
  await seen.chat.getByText(SUGGESTED[0], { exact: true }).click(PATIENCE);
  await seen.chat.getByText(`You said: ${SUGGESTED[0]}`).waitFor(PATIENCE);
  await picture(seen.page, 'asked-on');
  await shows(seen);
  await picture(seen.page, 'read');
  const questions = ['Where is my order?', SUGGESTED[0], 'What is in it?'];
  assert.deepEqual(seen.asked.map(({ question }) => question), questions);
  const rated = await owner('GET', `/feedback/${visited}`);
  assert.deepEqual(rated.map(({ rating, content }) => [rating, content]), [['THUMBS_UP', 'Well said']]);
  const said = await owner('GET', `/chatmessage/${visited}`);
  assert.equal(new Set(said.map(({ chatId }) => chatId)).size, 1);
  assert.equal(said.length, 2 * questions.length);
  assert.deepEqual(seen.faults, []);
  await seen.close();
}

/** The chat answers once the visitor said who they are. */
async function introduces() {
  const asks = { title: 'Who are you?', successMessage: 'Welcome, Ada.', name: true, email: true };
  await furnish({ leads: { status: true, ...asks } });
  const seen = await visit(visited);
  await seen.chat.getByText('Who are you?').waitFor(PATIENCE);
  await seen.page.locator('[name=name]').fill('Ada');
  await seen.page.locator('[name=email]').fill('ada@example.org');
  await seen.page.keyboard.press('Enter');
  await seen.chat.getByText('Welcome, Ada.').waitFor(PATIENCE);
  await picture(seen.page, 'welcomed');
  await say(seen, 'Hello');
  await seen.chat.getByText('You said: Hello').waitFor(PATIENCE);
  assert.deepEqual(seen.asked.map(({ leadEmail }) => leadEmail), ['ada@example.org']);
  const [lead, ...others] = await owner('GET', `/leads/${visited}`);
  assert.deepEqual([lead.name, lead.email, others], ['Ada', 'ada@example.org', []]);
  const said = await owner('GET', `/chatmessage/${visited}?chatId=${lead.chatId}`);
  assert.deepEqual(said.map(({ content }) => content), ['Hello', 'You said: Hello']);
  assert.deepEqual(seen.faults, []);
  await seen.close();
}

async function lets() {
  for (const [button, said] of [
    ['Yes', 'It is 42.'],
    ['No', 'Then I do not know.'],
  ]) {
    const seen = await visit(members);
    await say(seen, 'How much?');
    // It stands among the steps of the members and in the answer, of which one may come before the other.
    await seen.chat.getByText('May I count?').first().waitFor(PATIENCE);
    await seen.chat.getByText(button, { exact: true }).click(PATIENCE);
    await seen.chat.getByText(said).first().waitFor(PATIENCE);
    await picture(seen.page, `members-${button.toLowerCase()}`);
    assert.deepEqual(seen.asked.map(({ question }) => question), ['How much?', button]);
    assert.ok(seen.asked[1].action.id);
    assert.deepEqual(seen.faults, []);
    await seen.close();
  }
}

await take([asksOn, introduces, lets], 'took a starter, a rating, a follow-up, a document and a name, and had members ask a person');
