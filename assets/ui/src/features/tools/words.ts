import { addWords } from '../../i18n';
import { tools } from '../../i18n/en/tools';

// The texts of these screens come with them.
addWords(tools);
