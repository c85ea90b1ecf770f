import type { changes as english } from '../en/changes';

export const changes: Record<keyof typeof english, string> = {
  'changes.added': 'Neu',
  'changes.changed': 'Geändert',
  'changes.connection': 'Verbindung',
  'changes.connectionsChanged': 'Verbindungen geändert',
  'changes.each': 'Jede Änderung mit ihren Werten',
  'changes.empty': 'leer',
  'changes.field': 'Änderung von {field} bei {name}',
  'changes.hiddenValue': 'Der Wert wird nicht gezeigt.',
  'changes.hint': 'Änderungen ansehen',
  'changes.inWords': 'Was sich geändert hat, in Worten',
  'changes.moved': 'Verschoben',
  'changes.none': 'Kein Unterschied',
  'changes.none.sum': 'Keine Änderungen',
  'changes.removed': 'Entfernt',
  'changes.renamed': 'Umbenannt',
  'changes.sum.added': '{count} neu',
  'changes.sum.changed': '{count} geändert',
  'changes.sum.connections': 'Verbindungen',
  'changes.sum.moved': '{count} verschoben',
  'changes.sum.removed': '{count} entfernt',
};
