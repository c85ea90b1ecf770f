import { addWords } from '../../i18n';
import { apiKeys } from '../../i18n/en/apiKeys';
import { budget } from '../../i18n/en/budget';

// The texts of these screens come with them.
addWords({ ...budget, ...apiKeys });
