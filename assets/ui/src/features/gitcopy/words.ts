import { addWords } from '../../i18n';
import { gitcopy } from '../../i18n/en/gitcopy';

// The texts of these screens come with them.
addWords(gitcopy);
