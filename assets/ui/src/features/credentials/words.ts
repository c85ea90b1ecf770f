import { addWords } from '../../i18n';
import { credentials } from '../../i18n/en/credentials';

// The texts of these screens come with them.
addWords(credentials);
