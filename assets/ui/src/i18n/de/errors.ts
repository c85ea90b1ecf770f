import type { errors as english } from '../en/errors';

export const errors: Record<keyof typeof english, string> = {
  'errors.away': 'Der Server antwortet nicht',
  'errors.awayText':
    'Sobald er es tut, geht es auf dieser Seite von selbst weiter. Was zu sehen ist und getippt wird, bleibt.',
  'errors.boundary': 'Auf dieser Seite ist ein Fehler aufgetreten',
  'errors.boundaryText': 'Was gespeichert ist, ist sicher. Neu laden, um weiterzumachen.',
  'errors.forbidden': 'Das ist nicht erlaubt',
  'errors.network': 'Der Dienst hat nicht geantwortet. Verbindung prüfen und noch einmal versuchen.',
  'errors.newVersion': 'Es gibt eine neue Version',
  'errors.newVersionText': 'Neu laden, um damit weiterzumachen.',
  'errors.notFound': 'Diese Seite gibt es nicht',
  'errors.notFoundText': 'Vielleicht wurde sie gelöscht, oder die Adresse stimmt nicht.',
  'errors.reload': 'Neu laden',
  'errors.server': 'Der Dienst ist gescheitert. Gleich noch einmal versuchen.',
  'errors.toFlows': 'Zu den Flows',
};
