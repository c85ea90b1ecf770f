import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { FlowPage, flowTabs, type FlowTab } from '../features/canvas/FlowPage';
import type { FlowSlots } from '../features/canvas/slots';
import { Skeleton } from '../ui';
import { NotFound } from './NotFound';
import type { ScreenProps } from './routes';

/** A panel that is loaded when it is first opened. */
function later<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const Panel = lazy(load) as unknown as ComponentType<Props>;
  return function Later(props: Props): ReactNode {
    return (
      <Suspense fallback={<Skeleton lines={6} height={20} />}>
        <Panel {...props} />
      </Suspense>
    );
  };
}

/** Stands for a panel that is not built yet. */
const nothing = (): ReactNode => null;

/** What the features put into the flow page: the one place where they meet. */
const slots: FlowSlots = {
  State: nothing,
  Banner: nothing,
  Publish: nothing,
  Test: later(() => import('../features/chat/TestPanel')),
  Versions: nothing,
  Settings: later(() => import('../features/flowsettings/FlowSettings')),
  Api: later(() => import('../features/apicode/ApiDialog')),
};

export default function FlowScreen({ params }: ScreenProps): ReactNode {
  const { id = '', tab = 'editor' } = params;
  if (!isTab(tab)) return <NotFound />;
  return <FlowPage id={id} tab={tab} slots={slots} />;
}

const isTab = (text: string): text is FlowTab => (flowTabs as readonly string[]).includes(text);
