import { addWords } from '../../i18n';
import { tools } from '../../i18n/en/tools';
import { toolServers } from '../../i18n/en/toolServers';

// The texts of these screens come with them.
addWords({ ...tools, ...toolServers });
