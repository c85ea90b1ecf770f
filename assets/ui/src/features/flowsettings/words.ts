import { addWords } from '../../i18n';
import { flowsettings } from '../../i18n/en/flowsettings';

// The texts of these screens come with them.
addWords(flowsettings);
