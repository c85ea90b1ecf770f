import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(() => {
  cleanup();
  localStorage.clear();
});

// Screens are tested part by part, and their texts come with the whole.
import './features/flowsettings/words';
import './features/versions/words';
import './features/audit/words';
import './features/users/words';
import './features/tools/words';
import './features/workspaces/words';
import './features/roles/words';
import './features/apicode/words';

import './features/account/words';
import './features/variables/words';
import './features/apikeys/words';
import './features/check/words';
import './features/credentials/words';
