import { addWords } from '../../i18n';
import { roles } from '../../i18n/en/roles';

// The texts of these screens come with them.
addWords(roles);
