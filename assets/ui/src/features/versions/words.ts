import { addWords } from '../../i18n';
import { versions } from '../../i18n/en/versions';

// The texts of these screens come with them.
addWords(versions);
