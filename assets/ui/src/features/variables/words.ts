import { addWords } from '../../i18n';
import { variables } from '../../i18n/en/variables';

// The texts of these screens come with them.
addWords(variables);
