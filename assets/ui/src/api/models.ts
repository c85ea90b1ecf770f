/** The records of the service, written by hand until they are aliases of `schema.d.ts`. */

export type FlowType = 'CHATFLOW' | 'AGENTFLOW' | 'MULTIAGENT' | 'ASSISTANT' | 'HARNESS' | 'ETL';

export interface Flow {
  id: string;
  name: string;
  type: FlowType;
  /** Tags, separated by `;`. */
  category: string | null;
  /** JSON text of the canvas; left out of summaries. */
  flowData: string;
  deployed: boolean;
  isPublic: boolean;
  apikeyid: string | null;
  /** These are JSON text of objects. */
  chatbotConfig: string | null;
  apiConfig: string | null;
  analytic: string | null;
  speechToText: string | null;
  textToSpeech: string | null;
  followUpPrompts: string | null;
  mcpServerConfig: string | null;
  publishInstantly: boolean;
  webhookSecretConfigured: boolean;
  workspaceId: string;
  createdDate: string;
  updatedDate: string;
}

export type LiveReason = 'off' | 'type' | 'publish-instantly';

export interface LastPublished {
  sha: string | null;
  date: string;
}

export interface Draft {
  flowData: string;
  updatedDate: string;
  updatedBy: string | null;
  stale: boolean;
}

export interface DraftStatus {
  enabled: boolean;
  mode: 'draft' | 'live';
  reason: LiveReason | null;
  publishInstantly: boolean;
  draft: Draft | null;
  lastPublished: LastPublished | null;
}

/** A flow's publication as a list tells it: the draft status without the canvas. */
export interface FlowState {
  mode: 'draft' | 'live';
  reason: LiveReason | null;
  draft: Omit<Draft, 'flowData'> | null;
  lastPublished: LastPublished | null;
  hasLive: boolean;
}

export interface FlowSummary extends Omit<Flow, 'flowData'> {
  flowData?: string;
  state?: FlowState;
  updatedByName?: string | null;
}

export interface AssignedWorkspace {
  id: string;
  name: string;
  role: string;
  organizationId: string;
}

export interface Me {
  id: string;
  email: string;
  name: string;
  roleId: string | null;
  activeOrganizationId: string;
  isOrganizationAdmin: boolean;
  activeWorkspaceId: string;
  activeWorkspace: string | null;
  assignedWorkspaces: AssignedWorkspace[];
  permissions: string[];
}

export interface Session {
  id: string;
  createdDate: string;
  lastSeenDate: string;
  address: string | null;
  userAgent: string | null;
  current: boolean;
  workspaceId: string;
  workspace: string | null;
}

/** What the link of an invitation or a reset leads to. */
export interface LinkInfo {
  kind: 'invitation' | 'reset';
  email: string;
  name: string | null;
  organization: string;
  workspace: string | null;
  expires: string;
}

export interface Deleted {
  affected: number;
}
