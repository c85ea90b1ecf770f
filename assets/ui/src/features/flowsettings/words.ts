import { addWords } from '../../i18n';
import { budget } from '../../i18n/en/budget';
import { flowsettings } from '../../i18n/en/flowsettings';

// The texts of these screens come with them.
addWords({ ...budget, ...flowsettings });
