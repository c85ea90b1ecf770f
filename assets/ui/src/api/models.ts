/** The records of the service, by the names the page has for them. `npm run api` makes what they are aliases of. */
import type { components } from './schema';

/** Every record of the API's description. */
export type Schemas = components['schemas'];

export type FlowType = Schemas['FlowType'];
/** Tags are in `category`, separated by `;`. Settings are JSON text of objects. */
export type Flow = Schemas['Flow'];
export type DraftStatus = Schemas['DraftStatus'];
export type Draft = Schemas['Draft'];
export type LastPublished = Schemas['LastPublished'];
export type LiveReason = NonNullable<DraftStatus['reason']>;
/** A flow's publication as a list tells it: the draft status without the canvas. */
export type FlowState = Schemas['FlowState'];
/** A flow as lists have it, without its canvas. */
export type FlowSummary = Schemas['FlowOutline'];

export type AssignedWorkspace = Schemas['AssignedWorkspace'];
export type Me = Schemas['User'];
/** A person in a workspace. */
export type Member = Schemas['Member'];
export type Session = Schemas['Session'];
/** What the link of an invitation or a reset leads to. */
export type LinkInfo = Schemas['LinkPurpose'];
export type Deleted = Schemas['Deleted'];
