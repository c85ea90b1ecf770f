import {
  autocompletion,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  placeholder as placeholderText,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { getNonce } from 'get-nonce';
import { useEffect, useRef, type ReactNode } from 'react';
import css from './CodeField.module.css';

export interface CodeEditorProps {
  value: string;
  onChange?: (value: string) => void;
  /** Called when focus leaves, for fields that commit on leaving. */
  onBlur?: () => void;
  language?: 'json' | 'javascript' | 'text';
  readOnly?: boolean;
  placeholder?: string;
  /** Height in lines. */
  minLines?: number;
  maxLines?: number;
  lineNumbers?: boolean;
  /** Takes the height of the box around it instead of growing by lines. */
  fill?: boolean;
  /** Marks the line of this place as faulty. */
  fault?: number | null | undefined;
  /** Goes to this place whenever another object is given. */
  reveal?: { offset: number } | null;
  /** Offered after `{{` in text, and after `$` in code. */
  completions?: readonly { label: string; detail?: string }[];
  'aria-label'?: string;
  labelledBy?: string | undefined;
  describedBy?: string | undefined;
  invalid?: boolean | undefined;
}

/** So many names are shown without scrolling: arrow keys bring the others in, and nothing has to be scrolled by itself. */
const OFFERS_SHOWN = 10;

/** Tab is never captured: it leaves the editor. */
export default function CodeEditor(props: CodeEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  const changing = useRef(new Compartment());
  const marking = useRef(new Compartment());
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (!host.current) return;
    const first = latest.current;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.value,
        extensions: [
          EditorView.cspNonce.of(getNonce() ?? ''),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          EditorView.lineWrapping,
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          autocompletion({
            override: [(context) => complete(context, latest.current.completions ?? [])],
            icons: false,
            maxRenderedOptions: OFFERS_SHOWN,
          }),
          syntaxHighlighting(colours),
          theme,
          language(first.language ?? 'text'),
          first.lineNumbers ? lineNumbers() : [],
          first.placeholder ? placeholderText(first.placeholder) : [],
          first.fill ? filling : heights(first.minLines ?? 3, first.maxLines ?? 20),
          marking.current.of([]),
          changing.current.of(attributes(first)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
          }),
          EditorView.domEventHandlers({ blur: () => latest.current.onBlur?.(), beforeinput: typeOver }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor && props.value !== editor.state.doc.toString()) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.value } });
    }
  }, [props.value]);

  const { readOnly, labelledBy, describedBy, invalid, 'aria-label': label } = props;
  useEffect(() => {
    const parts = { value: '', readOnly, labelledBy, describedBy, invalid, 'aria-label': label };
    view.current?.dispatch({ effects: changing.current.reconfigure(attributes(parts)) });
  }, [readOnly, labelledBy, describedBy, invalid, label]);

  const { fault = null, reveal } = props;
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    // A place can lie beyond a text that has become shorter since.
    const found = fault === null ? [] : faultAt(Math.min(fault, editor.state.doc.length));
    editor.dispatch({ effects: marking.current.reconfigure(found) });
  }, [fault, props.value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !reveal) return;
    const anchor = Math.min(reveal.offset, editor.state.doc.length);
    editor.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
    });
    editor.focus();
  }, [reveal]);

  return <div ref={host} className={props.fill ? css.fill : undefined} />;
}

/**
 * Replaces the selection with what is typed over it. The browser would do so itself, but hands the colours of what was
 * selected to the new text as a style attribute, which the content security policy refuses with an error in the console.
 * The range is that of the document: the editor may not have heard of the newest selection yet.
 */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { inputType, data, isComposing } = event;
  const chosen = document.getSelection();
  if (
    inputType !== 'insertText' ||
    !data ||
    isComposing ||
    view.state.readOnly ||
    !chosen ||
    chosen.isCollapsed
  )
    return false;
  const range = chosen.getRangeAt(0);
  event.preventDefault();
  const from = view.posAtDOM(range.startContainer, range.startOffset);
  const to = view.posAtDOM(range.endContainer, range.endOffset);
  const text = view.state.toText(data);
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + text.length },
    userEvent: 'input.type',
    scrollIntoView: true,
  });
  return true;
}

const faultLine = Decoration.line({ class: 'cm-fault' });

function faultAt(offset: number): Extension {
  return EditorView.decorations.of((view) =>
    Decoration.set(faultLine.range(view.state.doc.lineAt(Math.min(offset, view.state.doc.length)).from)),
  );
}

const filling = EditorView.theme({
  '&': { blockSize: '100%' },
  '.cm-scroller': { blockSize: '100%' },
});

function language(name: 'json' | 'javascript' | 'text'): Extension {
  if (name === 'json') return json();
  return name === 'javascript' ? javascript({ typescript: false }) : [];
}

function attributes(props: CodeEditorProps): Extension {
  const { readOnly = false, labelledBy, describedBy, invalid } = props;
  const wanted = {
    'aria-label': props['aria-label'] ?? (labelledBy ? undefined : 'Code'),
    'aria-labelledby': labelledBy,
    'aria-describedby': describedBy,
    'aria-invalid': invalid ? 'true' : undefined,
    'aria-readonly': readOnly ? 'true' : undefined,
    spellcheck: 'false',
    // Said outright, or checkers take the region around it for one that keys cannot reach.
    tabindex: '0',
  };
  const set = Object.fromEntries(
    Object.entries(wanted).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  return [EditorState.readOnly.of(readOnly), EditorView.contentAttributes.of(set)];
}

function heights(min: number, max: number): Extension {
  const line = 20;
  return EditorView.theme({
    '.cm-content': { minHeight: `${min * line + 12}px` },
    '.cm-scroller': { maxHeight: `${max * line + 12}px` },
  });
}

function complete(
  context: CompletionContext,
  options: readonly { label: string; detail?: string }[],
): CompletionResult | null {
  const word = context.matchBefore(/\{\{[^{}]*|\$[\w.]*/);
  if (!word || options.length === 0) return null;
  return {
    from: word.from,
    options: options.map((option) => ({ ...option })),
    validFor: /^(\{\{[^{}]*|\$[\w.]*)$/,
  };
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--success)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--warning)' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--info)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

const theme = EditorView.theme({
  '&': { fontSize: '12px', color: 'var(--text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  // Lighter than other soft grounds: comments and texts in the line must stay readable.
  '.cm-fault': {
    backgroundColor: 'color-mix(in srgb, var(--danger) 5%, transparent)',
    boxShadow: 'inset 2px 0 0 var(--danger)',
  },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--pressed)',
    outline: 'none',
  },
  '.cm-tooltip': {
    border: 'none',
    borderRadius: '8px',
    overflow: 'hidden',
    color: 'var(--text)',
    backgroundColor: 'var(--panel)',
    boxShadow: 'var(--shadow-menu)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: 'none' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px !important' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--text)',
    backgroundColor: 'var(--pressed)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
});
