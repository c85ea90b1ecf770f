import type { budget as english } from '../en/budget';

export const budget: Record<keyof typeof english, string> = {
  'budget.bad': 'Eine ganze Zahl von 1 bis 1000000000000, ohne Komma und Punkt.',
  'budget.noLimit': 'Keine Grenze',
  'budget.ofFlow':
    'Was der Flow an einem Tag nach UTC verbrauchen darf. Ist es verbraucht, werden Fragen bis zum nächsten Tag mit Status 429 abgelehnt. Leer heißt: keine Grenze.',
  'budget.ofKey':
    'Was mit dem Schlüssel an einem Tag nach UTC verbraucht werden darf. Ist es verbraucht, werden Fragen mit ihm bis zum nächsten Tag abgelehnt. Leer heißt: keine Grenze.',
  'budget.questions': 'Fragen am Tag',
  'budget.title': 'Budget eines Tages',
  'budget.tokens': 'Token am Tag',
  'budget.tokensHelp':
    'Gelesene und geschriebene zusammen. Fragen, die noch laufen, wenn es verbraucht ist, werden beantwortet.',
  'budget.usage': 'Den Verbrauch ansehen',
  'budget.used': 'Heute verbraucht: {questions} Fragen und {tokens} Token.',
};
