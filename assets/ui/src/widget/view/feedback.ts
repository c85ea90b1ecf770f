import type { Client } from '../client';
import { h, iconButton } from '../dom';
import type { Message } from '../message';
import type { Texts } from '../texts';

/** Thumbs under an answer, and a comment after one was chosen. */
export function feedback(
  message: Message,
  client: Client,
  texts: Texts,
  tell: (text: string) => void,
): HTMLElement {
  const box = h('div', { class: 'rate' });
  const [up, down] = (['THUMBS_UP', 'THUMBS_DOWN'] as const).map((rating) =>
    iconButton('up', rating === 'THUMBS_UP' ? texts.good : texts.bad, () => void rate(rating), {
      'aria-pressed': 'false',
      class: rating === 'THUMBS_UP' ? 'ib' : 'ib bad',
    }),
  );
  if (up && down) box.append(up, down);

  async function rate(rating: 'THUMBS_UP' | 'THUMBS_DOWN'): Promise<void> {
    if (message.rating === rating || !message.messageId) return;
    const before = message.rating;
    mark(rating);
    try {
      const id = await client.rate(message.messageId, rating);
      tell(texts.thanks);
      box.parentElement?.querySelector('.comment')?.remove();
      if (id) box.after(comment(id));
    } catch {
      mark(before);
      tell(texts.unsent);
    }
  }

  function mark(rating: Message['rating']): void {
    message.rating = rating;
    if (up) up.ariaPressed = String(rating === 'THUMBS_UP');
    if (down) down.ariaPressed = String(rating === 'THUMBS_DOWN');
  }

  function comment(id: string): HTMLElement {
    const field = h('input', {
      type: 'text',
      'aria-label': texts.comment,
      placeholder: texts.comment,
      maxlength: 2000,
    });
    const send = iconButton('send', texts.commentSend, undefined, { type: 'submit' });
    const form = h('form', { class: 'comment' }, field, send);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (field.value.trim() === '') return;
      client.comment(id, field.value.trim()).then(
        () => {
          const thanks = h('p', { class: 'muted', tabindex: -1 }, texts.thanks);
          form.replaceWith(thanks);
          thanks.focus();
          tell(texts.thanks);
        },
        () => tell(texts.unsent),
      );
    });
    return form;
  }
  return box;
}
