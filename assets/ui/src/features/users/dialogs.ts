import type { Person } from '../../api/people';
import type { FirstInvite } from './InviteDialog';
import type { NewLink } from './LinkOnce';

/** The dialog that is open over the lists of people, and what it is about. */
export type OpenDialog =
  | { dialog: 'invite'; first?: FirstInvite }
  | { dialog: 'link'; link: NewLink }
  | { dialog: 'manage' | 'sessions' | 'remove'; person: Person };
