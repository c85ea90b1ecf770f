import { addWords } from '../../i18n';
import { account } from '../../i18n/en/account';

// The texts of these screens come with them.
addWords(account);
