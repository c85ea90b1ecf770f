import { addWords } from '../../i18n';
import { apiKeys } from '../../i18n/en/apiKeys';

// The texts of these screens come with them.
addWords(apiKeys);
