import { describe, expect, test } from 'vitest';
import { fromHtml, MarkdownView, renderMarkdown } from './render';

const options = { ownOrigin: 'https://chat.example', copyLabel: 'Copy' };
const render = (text: string): HTMLElement => renderMarkdown(text, options);
const TAGS =
  'div p h3 h4 h5 h6 ul ol li code pre blockquote hr br strong em a img table thead tbody tr th td span button svg path'.split(
    ' ',
  );
const ATTRIBUTES =
  'class dir href target rel src alt loading start scope tabindex role type aria-label title aria-hidden viewBox viewbox d'.split(
    ' ',
  );

function expectSafe(root: HTMLElement): void {
  for (const element of root.querySelectorAll('*')) {
    expect(TAGS).toContain(element.localName);
    for (const { name } of [...element.attributes]) expect(ATTRIBUTES).toContain(name);
    const href = element.getAttribute('href');
    if (href !== null) {
      expect(href).toMatch(/^(https?:|mailto:)/);
      expect(element.getAttribute('rel')).toBe('noopener noreferrer');
      expect(element.getAttribute('target')).toBe('_blank');
    }
    const src = element.getAttribute('src');
    if (src !== null) expect(src).toMatch(/^(data:image\/|https:\/\/chat\.example\/)/);
  }
}

describe('what answers are made of', () => {
  test('blocks and emphasis become elements', () => {
    const root = render(
      '# Title\n\nA **bold _both_** and `code` line\nnext\n\n- one\n- two\n  1. inner\n\n> quote\n\n---\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```js\nx < y\n```',
    );
    expectSafe(root);
    expect(root.querySelector('h3')?.textContent).toBe('Title');
    expect(root.querySelector('strong em')?.textContent).toBe('both');
    expect(root.querySelector('p br')).not.toBeNull();
    expect(root.querySelectorAll('ul > li').length).toBe(2);
    expect(root.querySelector('ul ol li')?.textContent).toBe('inner');
    expect(root.querySelector('blockquote')?.textContent).toBe('quote');
    expect(root.querySelector('hr')).not.toBeNull();
    expect(root.querySelector('td.a-end')?.textContent).toBe('2');
    expect(root.querySelector('pre code')?.textContent).toBe('x < y');
  });

  test.each([
    ['snake_case_name', 'snake_case_name', 0],
    ['2 * 3 * 4', '2 * 3 * 4', 0],
    ['**open', '**open', 0],
    ['*a **b* c**', '', 1],
    ['\\*not\\*', '*not*', 0],
    ['`a * b * c`', 'a * b * c', 0],
  ])('marks that are no emphasis stay: %s', (text, shown, elements) => {
    const root = render(text);
    if (shown) expect(root.textContent).toBe(shown);
    expect(root.querySelectorAll('em').length).toBeGreaterThanOrEqual(elements);
  });

  test('addresses in the text are links without what follows them', () => {
    const root = render('See https://example.org/a_(b), (https://example.org/c)');
    expect([...root.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
      'https://example.org/a_(b)',
      'https://example.org/c',
    ]);
  });
});

describe('hostile answers', () => {
  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<iframe srcdoc="<script>1</script>"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\tscript:alert(1))',
    '[x](data:text/html,<script>1</script>)',
    '[x](vbscript:1)',
    '[x](file:///etc/passwd)',
    '[x](//evil.example)',
    '<javascript:alert(1)>',
    '![x](javascript:alert(1))',
    '![x](data:image/svg+xml;base64,PHN2Zz4=)',
    '![x](https://evil.example/pixel.png)',
    '![x](//evil.example/pixel.png)',
    '![x" onerror="alert(1)](https://chat.example/a.png)',
    '[![x](https://evil.example/a.png)](javascript:1)',
    '[a [b](https://x.example) c](https://y.example)',
    '```html\n<script>1</script>\n```',
    '```"><img src=x onerror=1>\nx\n```',
    '| <b onclick=1> | x |\n|---|---|\n| <script> | [y](javascript:1) |',
    '# <svg onload=1>',
    '&lt;script&gt;&#x3C;img&#x3E;',
    'a\u0000b\u202ec',
  ])('%s stays text or becomes what is allowed', (text) => expectSafe(render(text)));

  test('only own and inline images are images', () => {
    const images = (text: string): number => render(text).querySelectorAll('img').length;
    expect(images('![x](https://chat.example/api/v1/get-upload-file?fileName=a.png)')).toBe(1);
    expect(images('![x](data:image/png;base64,iVBORw0KGgo=)')).toBe(1);
    expect(images('![x](https://evil.example/a.png)')).toBe(0);
    expect(render('![a lamp](https://evil.example/a.png)').querySelector('a')?.textContent).toBe('a lamp');
  });

  test.each([
    ['brackets', '['.repeat(10_000)],
    ['links that never end', '[a]('.repeat(5000)],
    ['stars', '*a '.repeat(5000)],
    ['underscores', '_'.repeat(50_000)],
    ['ticks', '`a'.repeat(5000)],
    ['growing ticks', Array.from({ length: 300 }, (_, at) => '`'.repeat(at)).join('a')],
    ['quotes', '>'.repeat(20_000)],
    ['lists', '- '.repeat(10_000)],
    ['deep lists', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at * 2)}- x`).join('\n')],
    ['spaces', `# ${' '.repeat(50_000)}x`],
    ['rule of spaces', `a | b\n${' '.repeat(50_000)}-x`],
    ['hashes', `# a ${'#'.repeat(50_000)}b`],
    ['dots', `https://example.org/${'.'.repeat(50_000)}`],
    ['fences', '```\n'.repeat(2001)],
    ['bars', `${'|'.repeat(20_000)}\n${'|-'.repeat(10_000)}`],
  ])(
    '%s come to an end',
    (_, text) => {
      // What took a step for each pair of characters would not be done in this time.
      expectSafe(render(text));
    },
    60_000,
  );
});

test('a text that grows keeps the pieces that stay', () => {
  const view = new MarkdownView(options);
  view.update('First\n\nSec');
  const first = view.element.firstChild;
  view.update('First\n\nSecond **word**');
  expect(view.element.firstChild).toBe(first);
  expect(view.element.textContent).toBe('FirstSecond word');
  view.update('First');
  expect(view.element.childNodes.length).toBe(1);
});

test('every beginning of an answer can be shown', () => {
  const text = '# A\n\n- b `c`\n\n|x|y|\n|-|-|\n|1|2|\n\n```js\n1\n```\n[l](https://a.example "t") **b**';
  const view = new MarkdownView(options);
  for (let end = 0; end <= text.length; end += 1) {
    view.update(text.slice(0, end));
    expectSafe(view.element);
  }
});

test('the HTML of notices becomes links and text', () => {
  const html =
    'You agree to the <a target="_blank" href="https://example.org/terms">Terms</a>.<br><script>x</script><b>Now</b>';
  const root = render(fromHtml(html));
  expectSafe(root);
  expect(root.querySelector('a')?.getAttribute('href')).toBe('https://example.org/terms');
  expect(root.querySelector('strong')?.textContent).toBe('Now');
});
