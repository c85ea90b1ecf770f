/** The catalogue of permissions as the service lists it, the presets over it, and what a choice amounts to. */

/** Resource to its permissions, as `GET /auth/permissions/:type` answers. */
export type Catalogue = Record<string, { key: string; value: string }[]>;

export interface Resource {
  name: string;
  /** Whole names, `tools:view` first. */
  permissions: string[];
}

export type Preset = 'ask' | 'read' | 'edit' | 'all';

export const presets: readonly Preset[] = ['ask', 'read', 'edit', 'all'];

const order = ['view', 'create', 'update', 'delete'];
/** What lists flows: who holds no more can ask and look. */
export const SEES_FLOWS = ['chatflows:view', 'agentflows:view', 'assistants:view'];
/** Those who edit build flows and what belongs to them; people, keys and logs stay out of it. */
const built = [
  'chatflows',
  'agentflows',
  'assistants',
  'tools',
  'credentials',
  'variables',
  'documentStores',
  'executions',
  'templates',
];

export const actionOf = (permission: string): string => permission.slice(permission.indexOf(':') + 1);
export const resourceOf = (permission: string): string => permission.split(':')[0] ?? '';

/** The usual four first. */
function rank(permission: string): number {
  const at = order.indexOf(actionOf(permission));
  return at < 0 ? order.length : at;
}

/** Resources in the order of the service, their permissions with the usual four first. */
export function resourcesOf(catalogue: Catalogue): Resource[] {
  return Object.entries(catalogue).map(([name, list]) => ({
    name,
    permissions: list.map((one) => one.key).sort((a, b) => rank(a) - rank(b)),
  }));
}

/** What a preset holds of what the person may give. */
export function presetOf(preset: Preset, resources: readonly Resource[], may: (name: string) => boolean) {
  const all = resources.flatMap((resource) => resource.permissions).filter(may);
  switch (preset) {
    case 'ask':
      return all.filter((name) => SEES_FLOWS.includes(name));
    case 'read':
      return all.filter((name) => actionOf(name) === 'view');
    case 'edit':
      return all.filter(
        (name) =>
          actionOf(name) === 'view' ||
          (built.includes(resourceOf(name)) && !/delete|share/.test(actionOf(name))),
      );
    case 'all':
      return all;
  }
}

/** The preset that a choice is, if it is one. */
export function presetIn(
  chosen: readonly string[],
  resources: readonly Resource[],
  may: (name: string) => boolean,
): Preset | null {
  const set = new Set(chosen);
  const same = (preset: Preset): boolean => {
    const wanted = presetOf(preset, resources, may);
    return wanted.length === set.size && wanted.length > 0 && wanted.every((name) => set.has(name));
  };
  return presets.find(same) ?? null;
}

/** Whether none, some or all of a resource are chosen, of those that can be. */
export function share(
  resource: Resource,
  chosen: ReadonlySet<string>,
  may: (name: string) => boolean,
): boolean | 'indeterminate' {
  const count = resource.permissions.filter((name) => chosen.has(name)).length;
  if (count === 0) return false;
  return resource.permissions.every((name) => chosen.has(name) || !may(name)) ? true : 'indeterminate';
}

/** Chooses all of a resource that may be given, or none of it. */
export function toggleResource(
  resource: Resource,
  chosen: ReadonlySet<string>,
  may: (name: string) => boolean,
): Set<string> {
  const next = new Set(chosen);
  const all = share(resource, chosen, may) === true;
  for (const name of resource.permissions) {
    if (all) next.delete(name);
    else if (may(name)) next.add(name);
  }
  return next;
}

/** Chosen permissions by resource, for lists, the usual four first. */
export function byResource(permissions: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of permissions) {
    const group = groups.get(resourceOf(name)) ?? [];
    group.push(name);
    groups.set(resourceOf(name), group);
  }
  for (const group of groups.values()) group.sort((a, b) => rank(a) - rank(b));
  return groups;
}
