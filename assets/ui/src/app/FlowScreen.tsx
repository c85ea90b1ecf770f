import type { ReactNode } from 'react';
import { startKind } from '../core/start';
import type { AssistantParts } from '../features/assistants/parts';
import { CanvasView } from '../features/canvas/board/CanvasView';
import { FlowPage } from '../features/canvas/FlowPage';
import type { FlowSlots } from '../features/canvas/slots';
import { flowTabs, type FlowTab } from '../features/canvas/tabs';
import { StateChip } from '../features/flows/StateChip';
import { FlowBanner } from '../features/publish/FlowBanner';
import type { PublishParts } from '../features/publish/parts';
import { StateInfo } from '../features/publish/StateInfo';
import { stateOf } from '../features/publish/state';
import { later } from '../ui';
import { NotFound } from './NotFound';
import type { ScreenProps } from './screen';

const PublishButton = later(() => import('../features/publish/PublishButton'), null);
const DraftCanvases = later(() => import('../features/versions/DraftCanvases'));

const publishParts: PublishParts = {
  Check: later(() => import('../features/check/CheckPanel')),
  CheckLine: later(() => import('../features/check/CheckLine'), null),
  Canvases: (props) => <DraftCanvases {...props} Canvas={CanvasView} />,
};
const CardSettings = later(() => import('../features/canvas/panel/CardSettings'), null);
const NewCredential = later(() => import('../features/credentials/CredentialForCard'), null);
const Assistant = later(() => import('../features/assistants/AssistantFlow'));
const assistantParts: AssistantParts = {
  CardSettings: (props) => <CardSettings {...props} NewCredential={NewCredential} />,
};
const Webhook = later(() => import('../features/starts/WebhookPanel'));
const Schedule = later(() => import('../features/flowsettings/SchedulePanel'));

/** What the features put into the flow page: the one place where they meet. */
const slots: FlowSlots = {
  State: ({ flow, status }) => (
    <StateInfo flow={flow} status={status}>
      <StateChip state={stateOf(flow, status)} />
    </StateInfo>
  ),
  Banner: FlowBanner,
  Publish: (props) => <PublishButton {...props} parts={publishParts} />,
  Test: later(() => import('../features/chat/TestPanel')),
  Runs: later(() => import('../features/pipelines/PipelineRuns')),
  Versions: later(() => import('../features/versions/Versions')),
  Settings: later(() => import('../features/flowsettings/FlowSettings')),
  NewCredential,
  Start: ({ flow, inputs, mayEdit }) => {
    const kind = startKind(inputs);
    if (kind === 'webhookTrigger') return <Webhook flow={flow} inputs={inputs} mayEdit={mayEdit} />;
    return kind === 'scheduleInput' ? <Schedule flow={flow} mayEdit={mayEdit} /> : null;
  },
  Assistant: (props) => <Assistant {...props} parts={assistantParts} />,
  Api: later(() => import('../features/apicode/ApiDialog')),
};

export default function FlowScreen({ params }: ScreenProps): ReactNode {
  const { id = '', tab = 'editor' } = params;
  if (!isTab(tab)) return <NotFound />;
  return <FlowPage id={id} tab={tab} slots={slots} />;
}

const isTab = (text: string): text is FlowTab => (flowTabs as readonly string[]).includes(text);
