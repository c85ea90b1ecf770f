import { addWords } from '../../i18n';
import { promote } from '../../i18n/en/promote';

// The texts of these screens come with them.
addWords(promote);
