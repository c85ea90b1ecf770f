import { addWords } from '../../i18n';
import { workspaces } from '../../i18n/en/workspaces';

// The texts of these screens come with them.
addWords(workspaces);
