/** A piece of a text. `source` is what it was read from: equal source means an equal piece. */
export type Block = { source: string } & (
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; ordered: boolean; start: number; items: Block[][] }
  | { kind: 'table'; align: string[]; rows: string[][] }
  | { kind: 'rule' }
);

const DEPTH_MAX = 8;
const COLUMNS_MAX = 40;
const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( {1,4})(?! )|\t|(?= {5})|$)/;
const DELIMITERS = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;

export function blocks(text: string): Block[] {
  return read(text.replace(/\r\n?/g, '\n').split('\n'), 0);
}

function read(lines: string[], depth: number): Block[] {
  const found: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
      continue;
    }
    const from = at;
    const [block, next] = one(lines, at, depth);
    at = next;
    found.push({ ...block, source: lines.slice(from, at).join('\n') });
  }
  return found;
}

// A plain Omit would lose which fields belong to which kind.
type Bare<T> = T extends Block ? Omit<T, 'source'> : never;

function one(lines: string[], at: number, depth: number): [Bare<Block>, number] {
  const line = lines[at] ?? '';
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at, fence[1] ?? '', fence[2] ?? '');
  const heading = HEADING.exec(line);
  if (heading)
    return [{ kind: 'heading', level: heading[1]?.length ?? 1, text: untailed(heading[2] ?? '') }, at + 1];
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1];
  if (depth < DEPTH_MAX && /^ {0,3}>/.test(line)) return quote(lines, at, depth);
  if (depth < DEPTH_MAX && ITEM.test(line)) return list(lines, at, depth);
  if (startsTable(lines, at)) return table(lines, at);
  return paragraph(lines, at, depth);
}

/** A heading without the marks that may close it. */
function untailed(text: string): string {
  return text
    .trim()
    .replace(/(^|\s)#+$/, '')
    .trimEnd();
}

function code(lines: string[], at: number, fence: string, info: string): [Bare<Block>, number] {
  const closing = new RegExp(`^ {0,3}\\${fence[0] ?? '`'}{${fence.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end] ?? '')) end += 1;
  const body = lines.slice(at + 1, end);
  const language = info.trim().split(/\s/)[0] ?? '';
  return [{ kind: 'code', language, text: body.join('\n') }, Math.min(end + 1, lines.length)];
}

function quote(lines: string[], at: number, depth: number): [Bare<Block>, number] {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end] ?? '')) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return [{ kind: 'quote', blocks: read(inner, depth + 1) }, end];
}

function list(lines: string[], at: number, depth: number): [Bare<Block>, number] {
  const first = ITEM.exec(lines[at] ?? '');
  const mark = first?.[2] ?? '-';
  const ordered = /\d/.test(mark);
  const sort = mark.slice(-1);
  const items: Block[][] = [];
  let end = at;
  while (end < lines.length) {
    const line = lines[end] ?? '';
    const found = ITEM.exec(line);
    if (!found || found[2]?.slice(-1) !== sort || RULE.test(line)) break;
    const width = found[0].length;
    const item = [line.slice(width)];
    end += 1;
    while (end < lines.length && belongs(lines, end, width)) {
      const inner = lines[end] ?? '';
      const indent = indentOf(inner);
      item.push(inner.slice(Math.min(indent, width)));
      end += 1;
    }
    items.push(read(item, depth + 1));
    // Blank lines between items of one list.
    let next = end;
    while (next < lines.length && (lines[next] ?? '').trim() === '') next += 1;
    if (next > end && ITEM.exec(lines[next] ?? '')?.[2]?.slice(-1) === sort) end = next;
  }
  return [{ kind: 'list', ordered, start: ordered ? parseInt(mark, 10) : 1, items }, end];
}

/** Whether a line is still inside the item before it: indented, or the rest of its paragraph. */
function belongs(lines: string[], at: number, width: number): boolean {
  const line = lines[at] ?? '';
  const indent = indentOf(line);
  if (line.trim() === '') {
    const next = lines[at + 1] ?? '';
    return next.trim() !== '' && indentOf(next) >= Math.min(width, 2);
  }
  if (indent >= Math.min(width, 2)) return true;
  const before = lines[at - 1] ?? '';
  return before.trim() !== '' && !interrupts(line);
}

function indentOf(line: string): number {
  return line.search(/[^ ]|$/);
}

function interrupts(line: string): boolean {
  return (
    FENCE.test(line) || HEADING.test(line) || RULE.test(line) || ITEM.test(line) || /^ {0,3}>/.test(line)
  );
}

function paragraph(lines: string[], at: number, depth: number): [Bare<Block>, number] {
  let end = at + 1;
  while (end < lines.length) {
    const line = lines[end] ?? '';
    if (line.trim() === '' || (depth < DEPTH_MAX && interrupts(line)) || startsTable(lines, end)) break;
    end += 1;
  }
  const text = lines.slice(at, end).map((line) => line.trimStart());
  return [{ kind: 'paragraph', text: text.join('\n').trimEnd() }, end];
}

function startsTable(lines: string[], at: number): boolean {
  const [head = '', rule = ''] = [lines[at], lines[at + 1]];
  return (
    head.includes('|') &&
    rule.includes('-') &&
    DELIMITERS.test(rule.trim()) &&
    cells(rule).length === cells(head).length
  );
}

function cells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/, COLUMNS_MAX).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function table(lines: string[], at: number): [Bare<Block>, number] {
  const head = cells(lines[at] ?? '');
  const align = cells(lines[at + 1] ?? '').map((cell) => {
    if (cell.startsWith(':') && cell.endsWith(':')) return 'center';
    return cell.endsWith(':') ? 'end' : 'start';
  });
  const rows = [head];
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? '').includes('|')) {
    const row = cells(lines[end] ?? '');
    rows.push(head.map((_, column) => row[column] ?? ''));
    end += 1;
  }
  return [{ kind: 'table', align, rows }, end];
}
