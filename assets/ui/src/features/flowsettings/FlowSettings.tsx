import type { ReactNode } from 'react';
import type { DraftStatus, Flow } from '../../api/models';
import { Page } from '../../ui';

export interface FlowSettingsProps {
  flow: Flow;
  status: DraftStatus;
  mayEdit: boolean;
}

export default function FlowSettings({ flow }: FlowSettingsProps): ReactNode {
  return <Page narrow>{flow.name}</Page>;
}
