import { actionOf, resourceOf } from '../core/permissions';
import { addWords, t, type Key } from '../i18n';
import { permissions } from '../i18n/en/permissions';

// Only those who give permissions read their names.
addWords(permissions);

const known = (key: string): key is Key & keyof typeof permissions => key in permissions;

/** What people call a resource; one this version does not know keeps its own name. */
export function resourceName(resource: string): string {
  const key = `permissions.of.${resource}`;
  return known(key) ? t(key) : resource;
}

/** What people call an action on a resource. */
export function actionName(permission: string): string {
  const key = `permissions.to.${actionOf(permission)}`;
  return known(key) ? t(key) : actionOf(permission);
}

/** "Chatflows: View". */
export const permissionName = (permission: string): string =>
  `${resourceName(resourceOf(permission))}: ${actionName(permission)}`;
