import { addWords } from '../../i18n';
import { audit } from '../../i18n/en/audit';

// The texts of these screens come with them.
addWords(audit);
