import { h, icon, iconButton } from '../dom';
import { accepted, FILES_MAX, judge, takesFiles, type PickedFile } from '../files';
import type { InputTheme } from '../theme';
import type { UploadRules } from '../settings';
import { filled, type Texts } from '../texts';

export interface ComposerNeeds {
  texts: Texts;
  theme: InputTheme;
  rules: UploadRules;
  /** Sends; false puts the text back. */
  send: (text: string, files: PickedFile[]) => Promise<boolean>;
  stop: () => void;
  typed: (text: string) => void;
}

/** Where a question is written: text, files, Send or Stop. */
export class Composer {
  readonly element: HTMLFormElement;
  readonly field: HTMLTextAreaElement;
  readonly #send: HTMLButtonElement;
  readonly #chips = h('div', { class: 'chips', hidden: true });
  readonly #warning = h('p', { class: 'warning', role: 'alert' });
  #picked: PickedFile[] = [];
  #busy = false;

  constructor(private readonly needs: ComposerNeeds) {
    const { texts, theme, rules } = needs;
    const placeholder = theme.placeholder ?? texts.placeholder;
    this.field = h('textarea', {
      rows: 1,
      placeholder,
      'aria-label': placeholder,
      dir: 'auto',
      enterkeyhint: 'send',
      oninput: () => this.#changed(),
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onpaste: (event: ClipboardEvent) => {
        const files = [...(event.clipboardData?.files ?? [])];
        if (files.length === 0 || !takesFiles(rules)) return;
        event.preventDefault();
        this.#add(files);
      },
    });
    this.#send = iconButton('send', texts.send, undefined, { type: 'submit', class: 'send' });
    const row = h('div', { class: 'row' }, takesFiles(rules) && this.#chooser(), this.field, this.#send);
    const onsubmit = (event: Event): void => {
      event.preventDefault();
      if (this.#busy) needs.stop();
      else void this.#submit();
    };
    this.element = h('form', { class: 'composer', onsubmit }, this.#chips, row, this.#warning);
    this.#changed();
  }

  /** While an answer is under way, Send is Stop. */
  set busy(busy: boolean) {
    if (busy === this.#busy) return;
    this.#busy = busy;
    const name = busy ? 'stop' : 'send';
    const label = this.needs.texts[name];
    this.#send.ariaLabel = label;
    this.#send.title = label;
    this.#send.replaceChildren(icon(name));
    this.#changed();
  }

  #add(files: File[]): void {
    const { rules, texts } = this.needs;
    this.warn('');
    for (const file of files) {
      const found = judge(file, rules, texts);
      if (typeof found === 'string') this.warn(found);
      else if (this.#picked.length >= FILES_MAX) this.warn(filled(texts.fileCount, { count: FILES_MAX }));
      else this.#picked.push(found);
    }
    this.#showFiles();
  }

  #chooser(): HTMLElement {
    const { texts, rules } = this.needs;
    const input = h('input', {
      type: 'file',
      multiple: true,
      accept: accepted(rules),
      hidden: true,
      tabindex: -1,
    });
    input.addEventListener('change', () => {
      this.#add([...(input.files ?? [])]);
      input.value = '';
      this.field.focus();
    });
    return h(
      'span',
      { class: 'chooser' },
      input,
      iconButton('attach', texts.attach, () => input.click()),
    );
  }

  async #submit(): Promise<void> {
    const text = this.field.value.trim();
    const files = this.#picked;
    if (text === '' && files.length === 0) return;
    this.#picked = [];
    this.field.value = '';
    this.#changed();
    this.#showFiles();
    if (await this.needs.send(text, files)) {
      this.#drop(files);
      return;
    }
    // Nothing was sent: what was written must not be lost.
    if (this.field.value === '') this.field.value = text;
    this.#picked = [...files, ...this.#picked].slice(0, FILES_MAX);
    this.#changed();
    this.#showFiles();
  }

  warn(sentence: string): void {
    this.#warning.textContent = sentence;
  }

  #changed(): void {
    this.field.style.blockSize = 'auto';
    this.field.style.blockSize = `${Math.min(this.field.scrollHeight, 140)}px`;
    this.#ready();
    this.needs.typed(this.field.value);
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!this.#busy) void this.#submit();
  }

  #drop(gone: PickedFile[]): void {
    this.#picked = this.#picked.filter((picked) => !gone.includes(picked));
    this.#showFiles();
  }

  #showFiles(): void {
    this.#chips.replaceChildren(...this.#picked.map((picked) => this.#chip(picked)));
    this.#chips.hidden = this.#picked.length === 0;
    this.#ready();
  }

  #ready(): void {
    const nothing = this.field.value.trim() === '' && this.#picked.length === 0;
    this.#send.setAttribute('aria-disabled', String(!this.#busy && nothing));
  }

  #chip(picked: PickedFile): HTMLElement {
    const { file } = picked;
    const name = h('span', { class: 'name', dir: 'auto' }, file.name);
    const label = filled(this.needs.texts.remove, { name: file.name });
    const remove = iconButton('close', label, () => {
      this.#drop([picked]);
      this.field.focus();
    });
    return h('span', { class: 'file' }, icon('file'), name, remove);
  }
}
