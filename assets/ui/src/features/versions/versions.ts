import type { Version, VersionDiff, VersionKind } from '../../api/versions';
import type { CanvasDiff, FieldChange, NodeRef } from '../../core/canvasDiff';

/** How versions are told on the page, without React. */

export type VersionFilter = '' | 'published' | 'saves';

export interface View {
  /** The chosen version: an id or the start of one, or `draft`. */
  version: string;
  /** What it is compared with: `previous`, `current`, an id, or nothing. */
  against: string;
  show: VersionFilter;
  /** The id of an author; `system` for the service and API keys. */
  by: string;
}

export const DRAFT = 'draft';

export function readView(search: string): View {
  const params = new URLSearchParams(search);
  const show = params.get('show');
  return {
    version: params.get('v') ?? '',
    against: params.get('against') ?? '',
    show: show === 'published' || show === 'saves' ? show : '',
    by: params.get('by') ?? '',
  };
}

export function writeView({ version, against, show, by }: View): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ v: version, against, show, by }))
    if (value) params.set(name, value);
  const text = params.toString();
  return text ? `?${text}` : '';
}

const authorOf = (version: Version): string => version.authorId ?? 'system';

export function passing(versions: readonly Version[], { show, by }: View): Version[] {
  return versions.filter(
    (version) =>
      (show === '' || version.published === (show === 'published')) &&
      (by === '' || authorOf(version) === by),
  );
}

/** Everybody who made a version, each once, under the newest name. */
export function authors(versions: readonly Version[]): { id: string; name: string }[] {
  const found = new Map<string, string>();
  for (const version of versions) {
    const id = authorOf(version);
    if (!found.has(id)) found.set(id, version.author);
  }
  return [...found].map(([id, name]) => ({ id, name }));
}

export interface Day {
  date: string;
  versions: Version[];
}

/** Versions under the days they were made on, as this browser's clock has them. */
export function byDay(versions: readonly Version[], dayOf: (date: string) => string): Day[] {
  const days: Day[] = [];
  for (const version of versions) {
    const day = days.at(-1);
    if (day && dayOf(day.date) === dayOf(version.date)) day.versions.push(version);
    else days.push({ date: version.date, versions: [version] });
  }
  return days;
}

export function find(versions: readonly Version[], id: string): Version | undefined {
  return id.length >= 7 ? versions.find((version) => version.sha.startsWith(id)) : undefined;
}

/** Under this id a comparison names the settings of the flow among the cards that changed. */
const SETTINGS = 'settings';

/** What stands among the settings there and is brought back. */
const RESTORED = ['category', 'type'];

/** What a restore or a roll back would change: they leave the settings as they are. */
export function withoutSettings(diff: VersionDiff): VersionDiff {
  const changed = diff.changed
    .map((one) =>
      one.id === SETTINGS ? { ...one, fields: one.fields.filter((name) => RESTORED.includes(name)) } : one,
    )
    .filter((one) => one.id !== SETTINGS || one.fields.length > 0);
  return { ...diff, changed };
}

/** A save that left canvas, name, kind and tags alone: settings are listed, but never brought back. */
export function isSettingsOnly(
  version: { kind: VersionKind; details: readonly string[] },
  diff: VersionDiff,
): boolean {
  const { added, removed, changed, moved, edgesChanged, renamed } = withoutSettings(diff);
  const drawn = added.length + removed.length + changed.length + moved.length > 0 || edgesChanged;
  const recorded = version.details.some((line) => /^Changed the (type|category)\b/.test(line));
  return version.kind === 'save' && diff.against !== null && !drawn && renamed === null && !recorded;
}

/** What the service says differs, with the values that the two canvases hold. */
export function withValues(told: VersionDiff, values: CanvasDiff): CanvasDiff {
  const labels = new Map(values.moved.map((node) => [node.id, node.label]));
  const field = (id: string, name: string): FieldChange =>
    values.changed.find((node) => node.id === id)?.fields.find((one) => one.name === name) ?? {
      name,
      label: name,
      before: null,
      after: null,
    };
  const ref = ({ id, label }: NodeRef): NodeRef => ({ id, label });
  return {
    added: told.added.map(ref),
    removed: told.removed.map(ref),
    changed: told.changed.map(({ id, label, fields }) => ({
      id,
      label,
      fields: fields.map((name) => field(id, name)),
    })),
    moved: told.moved.map((id) => ({ id, label: labels.get(id) ?? id })),
    edges: told.edgesChanged ? values.edges : [],
  };
}

export type NodeMark = 'added' | 'removed' | 'changed' | 'moved';
export type Marks = ReadonlyMap<string, NodeMark>;

/** What is marked on the older and on the newer canvas. */
export function marksOf(diff: CanvasDiff): { before: Marks; after: Marks } {
  const both: [string, NodeMark][] = [
    ...diff.moved.map(({ id }): [string, NodeMark] => [id, 'moved']),
    ...diff.changed.map(({ id }): [string, NodeMark] => [id, 'changed']),
  ];
  return {
    before: new Map([...both, ...diff.removed.map(({ id }): [string, NodeMark] => [id, 'removed'])]),
    after: new Map([...both, ...diff.added.map(({ id }): [string, NodeMark] => [id, 'added'])]),
  };
}
