import { MessageSquareText, SquareCode } from 'lucide-react';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useDraft, useFlow } from '../../api/flows';
import { useCan } from '../../api/me';
import type { DraftStatus, Flow } from '../../api/models';
import { t } from '../../i18n';
import { Button, IconButton, Loaded, toast, useActions, useMedia, useTitle } from '../../ui';
import { CanvasView } from './board/CanvasView';
import { Editor } from './Editor';
import { FlowHeader } from './FlowHeader';
import css from './FlowPage.module.css';
import { FlowSkeleton } from './FlowSkeleton';
import { mayChange } from './permissions';
import { SidePanel } from './SidePanel';
import type { FlowSlotProps, FlowSlots, CanvasRun } from './slots';
import type { FlowTab } from './tabs';
import { useDocument } from './editing/useDocument';
import { usePageKeys, usePageShortcuts } from './editing/usePageKeys';
import { useEditing } from './editing/useEditing';

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
  const both = {
    data: flow.data && status.data && { flow: flow.data, status: status.data },
    error,
    refetch: () => Promise.all([flow.refetch(), status.refetch()]),
  };
  return (
    <Loaded query={both} skeleton={<FlowSkeleton />}>
      {(data) => <LoadedFlowPage key={id} {...data} tab={tab} slots={slots} />}
    </Loaded>
  );
}

interface LoadedFlowPageProps {
  flow: Flow;
  status: DraftStatus;
  tab: FlowTab;
  slots: FlowSlots;
}

function LoadedFlowPage({ flow, status, tab, slots }: LoadedFlowPageProps): ReactNode {
  const [testing, setTesting] = useState(false);
  const [showsApi, setShowsApi] = useState(false);
  const [run, setRun] = useState<CanvasRun | null>(null);
  const [selected, select] = useSelected(flow.id);
  const mayEdit = mayChange(useCan(), flow.type);
  const editing = useEditing(flow, status, mayEdit);
  const narrow = useMedia('(width < 768px)');
  const stored = status.draft?.flowData ?? flow.flowData;
  const document = useDocument(editing, stored, mayEdit && !narrow);
  useTitle(flow.name);

  const { save } = editing;
  const shared: FlowSlotProps = {
    flow,
    status,
    mayEdit,
    unsaved: editing.unsaved,
    save,
    dropEdits: editing.drop,
    goToNode: select,
    showRun: setRun,
    Canvas: CanvasView,
  };
  useActions(
    useMemo(
      () => [
        { id: 'flow test', label: t('canvas.testFlow'), run: () => setTesting(true) },
        { id: 'flow api', label: t('canvas.apiOf'), run: () => setShowsApi(true) },
      ],
      [],
    ),
  );
  const closeTest = useCallback(() => setTesting(false), []);
  const saveNow = async (): Promise<void> => {
    // What goes to everybody at once is asked about first, by the button that does it.
    if (!mayEdit || status.mode === 'live') return;
    if (await save()) toast(t('canvas.draftSaved'));
  };
  usePageKeys({
    s: () => void saveNow(),
    enter: () => {
      setTesting(true);
      globalThis.document
        .querySelector<HTMLElement>(`[aria-label="${t('canvas.testChat')}"] textarea`)
        ?.focus();
    },
  });
  usePageShortcuts(mayEdit);
  return (
    <div className={css.page}>
      <FlowHeader
        flow={flow}
        tab={tab}
        mayEdit={mayEdit}
        saved={editing.state}
        chip={<slots.State {...shared} />}
        actions={
          <>
            {narrow ? (
              <>
                <IconButton
                  icon={MessageSquareText}
                  label={t('canvas.test')}
                  pressed={testing}
                  onClick={() => setTesting(!testing)}
                />
                <IconButton icon={SquareCode} label={t('canvas.api')} onClick={() => setShowsApi(true)} />
              </>
            ) : (
              <>
                <Button icon={MessageSquareText} aria-pressed={testing} onClick={() => setTesting(!testing)}>
                  {t('canvas.test')}
                </Button>
                <Button icon={SquareCode} aria-haspopup="dialog" onClick={() => setShowsApi(true)}>
                  {t('canvas.api')}
                </Button>
              </>
            )}
            <slots.Publish {...shared} />
          </>
        }
      />
      <slots.Banner {...shared} />
      <div className={css.body}>
        <div className={css.tab}>
          {tab === 'editor' && (
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
          {tab === 'versions' && <slots.Versions {...shared} />}
          {tab === 'settings' && <slots.Settings {...shared} />}
        </div>
        {testing && (
          <SidePanel name="test" label={t('canvas.testChat')}>
            <slots.Test {...shared} onClose={closeTest} />
          </SidePanel>
        )}
      </div>
      {showsApi && <slots.Api {...shared} onClose={() => setShowsApi(false)} />}
    </div>
  );
}

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
