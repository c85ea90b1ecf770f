import { describe, expect, it } from 'vitest';
import type { Version, VersionDiff } from '../../api/versions';
import {
  authors,
  byDay,
  find,
  isSettingsOnly,
  marksOf,
  passing,
  readView,
  withValues,
  writeView,
} from './versions';

const version = (more: Partial<Version>): Version => ({
  sha: 'a'.repeat(40),
  shortSha: 'aaaaaaa',
  date: '2026-03-02T10:00:00+00:00',
  author: 'Ada',
  authorId: 'u1',
  authorKind: 'user',
  title: 'Saved',
  details: [],
  kind: 'save',
  promotedFrom: null,
  name: 'Flow',
  hiddenSecrets: 0,
  published: false,
  ...more,
});
const told: VersionDiff = {
  sha: '',
  against: 'b',
  added: [],
  removed: [],
  changed: [],
  moved: [],
  sentences: [],
  edgesChanged: false,
  renamed: null,
};

const list = [
  version({ sha: `c${'0'.repeat(39)}`, kind: 'publish', published: true, date: '2026-03-03T09:00:00+00:00' }),
  version({ sha: `b${'0'.repeat(39)}`, author: 'Flowkeep', authorId: null, authorKind: 'system' }),
  version({ date: '2026-03-02T08:00:00+00:00' }),
];

describe('the list of versions', () => {
  it('keeps its state in the address', () => {
    const view = { version: 'abcdef0', against: 'current', show: 'published', by: 'u1' } as const;
    expect(readView(writeView(view))).toEqual(view);
    expect(writeView(readView(''))).toBe('');
    expect(readView('?show=other').show).toBe('');
  });

  it('filters by kind and author, and lists authors once', () => {
    const count = (show: 'published' | 'saves' | '', by = ''): number =>
      passing(list, { version: '', against: '', show, by }).length;
    expect([
      count(''),
      count('published'),
      count('saves'),
      count('', 'system'),
      count('saves', 'u1'),
    ]).toEqual([3, 1, 2, 1, 1]);
    expect(authors(list)).toEqual([
      { id: 'u1', name: 'Ada' },
      { id: 'system', name: 'Flowkeep' },
    ]);
  });

  it('groups by day and finds by the start of an id', () => {
    expect(byDay(list, (date) => date.slice(0, 10)).map((day) => day.versions.length)).toEqual([1, 2]);
    expect(find(list, 'b000000')?.author).toBe('Flowkeep');
    expect(find(list, 'b00')).toBeUndefined();
  });
});

describe('a comparison', () => {
  it('tells saves of settings from saves of the canvas', () => {
    const settings = { id: 'settings', label: 'Settings', fields: ['apiConfig'] };
    expect(isSettingsOnly(version({ details: ['Changed rate limit'] }), told)).toBe(true);
    expect(isSettingsOnly(version({}), { ...told, changed: [settings] })).toBe(true);
    const tags = { ...settings, fields: ['apiConfig', 'category'] };
    expect(isSettingsOnly(version({}), { ...told, changed: [tags] })).toBe(false);
    expect(isSettingsOnly(version({}), { ...told, changed: [settings, { ...settings, id: 'a' }] })).toBe(
      false,
    );
    expect(isSettingsOnly(version({ details: ['Changed the category'] }), told)).toBe(false);
    expect(isSettingsOnly(version({}), { ...told, moved: ['a'] })).toBe(false);
    expect(isSettingsOnly(version({ kind: 'publish' }), told)).toBe(false);
    expect(isSettingsOnly(version({}), { ...told, against: null })).toBe(false);
  });

  it('takes from the canvases the values of what the service says changed, and nothing more', () => {
    const said = { ...told, changed: [{ id: 'a', label: 'A', fields: ['prompt', 'other'] }], moved: ['m'] };
    const values = {
      added: [],
      removed: [],
      changed: [
        {
          id: 'a',
          label: 'A',
          fields: [
            { name: 'prompt', label: 'Prompt', before: 'x', after: 'y' },
            { name: 'secret', label: 'Secret', before: 'x', after: 'y' },
          ],
        },
      ],
      moved: [{ id: 'm', label: 'Memory' }],
      edges: [{ kind: 'added' as const, from: 'a', to: 'b', input: '' }],
    };
    expect(withValues(said, values)).toEqual({
      added: [],
      removed: [],
      changed: [
        {
          id: 'a',
          label: 'A',
          fields: [
            { name: 'prompt', label: 'Prompt', before: 'x', after: 'y' },
            { name: 'other', label: 'other', before: null, after: null },
          ],
        },
      ],
      moved: [{ id: 'm', label: 'Memory' }],
      edges: [],
    });
  });

  it('marks each side with what it has; a change outweighs a move', () => {
    const ref = (id: string): { id: string; label: string } => ({ id, label: id });
    const marks = marksOf({
      added: [ref('new')],
      removed: [ref('old')],
      changed: [{ ...ref('a'), fields: [] }],
      moved: [ref('a'), ref('m')],
      edges: [],
    });
    expect([...marks.before]).toEqual([
      ['a', 'changed'],
      ['m', 'moved'],
      ['old', 'removed'],
    ]);
    expect(marks.after.get('new')).toBe('added');
  });
});
