import { button, h } from '../dom';
import { fromHtml, renderMarkdown } from '../markdown/render';
import { keep, kept } from '../kept';
import type { DisclaimerTheme } from '../theme';
import type { Texts } from '../texts';

const KEY = 'chat-disclaimer:';

/** Whether this person agreed in this tab. */
export const agreed = (flow: string): boolean => kept('sessionStorage', KEY + flow) !== null;

/** Covers the chat until the person agrees. */
export function disclaimer(
  flow: string,
  theme: DisclaimerTheme,
  texts: Texts,
  done: () => void,
  deny: (() => void) | undefined,
): HTMLElement {
  const message = renderMarkdown(fromHtml(theme.message ?? ''), {
    ownOrigin: location.origin,
    copyLabel: texts.copy,
  });
  message.id = 'fk-disclaimer';
  const agree = (): void => {
    keep('sessionStorage', KEY + flow, 'yes');
    box.remove();
    done();
  };
  const accept = button(theme.buttonText ?? texts.accept, agree, 'primary');
  const box = h(
    'div',
    { class: 'veil', role: 'group', 'aria-label': theme.title ?? '', 'aria-describedby': 'fk-disclaimer' },
    h(
      'div',
      { class: 'note' },
      h('p', { class: 'form-title' }, theme.title ?? ''),
      message,
      h('div', { class: 'note-row' }, accept),
    ),
  );
  if (deny) accept.before(button(theme.denyButtonText ?? texts.decline, deny));
  return box;
}
