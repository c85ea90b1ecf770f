import { addWords } from '../../i18n';
import { users } from '../../i18n/en/users';

// The texts of these screens come with them.
addWords(users);
