import { useCallback, useState, type ReactNode } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { ApiError, isGone } from '../../api/client';
import { useDraft, useFlow } from '../../api/flows';
import { useCan } from '../../api/me';
import type { DraftStatus, Flow } from '../../api/models';
import { Loaded, toast, useMedia } from '../../ui';
import { Editor } from './Editor';
import { FlowFrame } from './FlowFrame';
import { FlowSkeleton } from './FlowSkeleton';
import { FormEditor } from './FormEditor';
import { NoFlow } from './NoFlow';
import { mayChange } from './permissions';
import type { FlowSlots, CanvasRun } from './slots';
import { tabsOf, type FlowTab } from './tabs';
import { useDocument } from './editing/useDocument';
import { usePageKeys } from './editing/usePageKeys';
import { useEditing } from './editing/useEditing';
import { t } from './words';

export interface FlowPageProps {
  id: string;
  tab: FlowTab;
  slots: FlowSlots;
}

/** A flow: its header, and the tab that the address names. */
export function FlowPage({ id, tab, slots }: FlowPageProps): ReactNode {
  const flow = useFlow(id);
  const status = useDraft(id);
  const error = flow.error ?? status.error;
  if (!flow.data && isGone(error)) return <NoFlow />;
  // Which permission it takes hangs on the kind of the flow, so the service is asked.
  if (!flow.data && error instanceof ApiError && error.status === 403) return <NoFlow forbidden />;
  const both = {
    data: flow.data && status.data && { flow: flow.data, status: status.data },
    error,
    refetch: () => Promise.all([flow.refetch(), status.refetch()]),
  };
  return (
    <Loaded query={both} skeleton={<FlowSkeleton />}>
      {(data) =>
        !tabsOf(data.flow.type).includes(tab) ? (
          <Redirect to={`/flows/${id}`} replace />
        ) : data.flow.type === 'ASSISTANT' ? (
          <ToldFlow key={id} {...data} tab={tab} slots={slots} />
        ) : (
          <DrawnFlow key={id} {...data} tab={tab} slots={slots} />
        )
      }
    </Loaded>
  );
}

interface LoadedFlowProps {
  flow: Flow;
  status: DraftStatus;
  tab: FlowTab;
  slots: FlowSlots;
}

/** A flow that is drawn on a canvas. */
function DrawnFlow({ flow, status, tab, slots }: LoadedFlowProps): ReactNode {
  const [run, setRun] = useState<CanvasRun | null>(null);
  const [selected, select] = useSelected(flow.id);
  const mayEdit = mayChange(useCan(), flow.type);
  const editing = useEditing(flow, status, mayEdit);
  const narrow = useMedia('(width < 768px)');
  const stored = status.draft?.flowData ?? flow.flowData;
  const document = useDocument(editing, stored, mayEdit && !narrow);
  const { save } = editing;
  const saveNow = async (): Promise<void> => {
    // What goes to everybody at once is asked about first, by the button that does it.
    if (!mayEdit || status.mode === 'live') return;
    if (await save()) toast(t('canvas.draftSaved'));
  };
  usePageKeys({ s: () => void saveNow() });
  return (
    <FlowFrame
      flow={flow}
      status={status}
      tab={tab}
      slots={slots}
      mayEdit={mayEdit}
      mayRename={mayEdit}
      edited={editing}
      goToNode={select}
      showRun={setRun}
      editor={(shared) => (
        <Editor
          {...shared}
          editing={editing}
          document={document}
          NewCredential={slots.NewCredential}
          Start={slots.Start}
          selected={selected}
          onSelect={select}
          run={run}
        />
      )}
    />
  );
}

/** A flow that is told in a form; its canvas is drawn by the service. */
function ToldFlow({ flow, status, tab, slots }: LoadedFlowProps): ReactNode {
  const mayEdit = mayChange(useCan(), flow.type);
  const [, go] = useLocation();
  const toForm = useCallback(() => go(`/flows/${flow.id}`), [go, flow.id]);
  return (
    <slots.Assistant flow={flow} mayEdit={mayEdit}>
      {(told) => (
        <FlowFrame
          flow={flow}
          status={status}
          tab={tab}
          slots={slots}
          mayEdit={mayEdit}
          // Its name is a field of the form.
          mayRename={false}
          edited={told}
          goToNode={toForm}
          showRun={showNothing}
          editor={() => <FormEditor told={told} mayEdit={mayEdit} />}
        />
      )}
    </slots.Assistant>
  );
}

const showNothing = (): void => undefined;

/** The selected node is in the address, so that it can be shared. */
function useSelected(flow: string): [string | null, (id: string | null) => void] {
  const [path, go] = useLocation();
  const search = useSearch();
  const selected = new URLSearchParams(search).get('node');
  const home = `/flows/${flow}`;
  const select = useCallback(
    (id: string | null) => {
      const to = id === null ? home : `${home}?node=${encodeURIComponent(id)}`;
      go(to, { replace: path === home });
    },
    [home, path, go],
  );
  return [selected, select];
}
