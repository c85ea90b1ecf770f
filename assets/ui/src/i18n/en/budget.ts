export const budget = {
  'budget.bad': 'A whole number from 1 to 1,000,000,000,000, without commas or points.',
  'budget.noLimit': 'No limit',
  'budget.ofFlow':
    'What the flow may use in a day of UTC. Once it is used up, questions are refused with status 429 until the next day. Empty means no limit.',
  'budget.ofKey':
    'What may be used with the key in a day of UTC. Once it is used up, questions with it are refused until the next day. Empty means no limit.',
  'budget.questions': 'Questions a day',
  'budget.title': 'Budget of a day',
  'budget.tokens': 'Tokens a day',
  'budget.tokensHelp':
    'Read and written together. Questions that are under way when it is used up are still answered.',
  'budget.usage': 'See its usage',
  'budget.used': 'Used today: {questions} questions and {tokens} tokens.',
} as const;
