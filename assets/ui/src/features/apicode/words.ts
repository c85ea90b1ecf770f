import { addWords } from '../../i18n';
import { apicode } from '../../i18n/en/apicode';

// The texts of these screens come with them.
addWords(apicode);
