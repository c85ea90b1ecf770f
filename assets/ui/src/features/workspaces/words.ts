import { addWords } from '../../i18n';
import { budget } from '../../i18n/en/budget';
import { workspaces } from '../../i18n/en/workspaces';

// The texts of these screens come with them.
addWords({ ...budget, ...workspaces });
