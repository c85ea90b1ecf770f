import { MessageSquareText, SquareCode } from 'lucide-react';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import type { DraftStatus, Flow } from '../../api/models';
import type { FlowEdits } from '../../core/editing';
import { askedAgain } from '../../core/askedAgain';
import { Button, IconButton, useActions, useMedia, useTitle } from '../../ui';
import { CanvasView } from './board/CanvasView';
import { FlowHeader } from './FlowHeader';
import css from './FlowPage.module.css';
import { SidePanel } from './SidePanel';
import type { FlowSlotProps, FlowSlots } from './slots';
import type { FlowTab } from './tabs';
import { usePageKeys, usePageShortcuts } from './editing/usePageKeys';
import { t } from './words';

export interface FlowFrameProps extends Pick<FlowSlotProps, 'goToNode' | 'showRun'> {
  flow: Flow;
  status: DraftStatus;
  tab: FlowTab;
  slots: FlowSlots;
  mayEdit: boolean;
  /** Whether its name is edited in the header. */
  mayRename: boolean;
  /** How what is edited stands. */
  edited: FlowEdits;
  /** The Editor tab. */
  editor: (shared: FlowSlotProps) => ReactNode;
}

/** What the page of every flow has: the header, the other tabs, the test chat, the dialog of its API. */
export function FlowFrame(props: FlowFrameProps): ReactNode {
  const { flow, status, tab, slots, mayEdit, mayRename, edited, goToNode, showRun, editor } = props;
  // Who comes from a conversation brings its question along.
  const brought = askedAgain(useHistoryState());
  const [question, setQuestion] = useState(brought);
  const [testing, setTesting] = useState(question !== '');
  const [showsApi, setShowsApi] = useState(false);
  const narrow = useMedia('(width < 768px)');
  useTitle(flow.name);
  const shared: FlowSlotProps = {
    flow,
    status,
    mayEdit,
    unsaved: edited.unsaved,
    save: edited.save,
    dropEdits: edited.drop,
    goToNode,
    showRun,
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
  const closeTest = useCallback(() => {
    setTesting(false);
    setQuestion('');
  }, []);
  // Hidden by whichever button, the panel does not bring the question again that it was opened with.
  const toggleTest = (): void => (testing ? closeTest() : setTesting(true));
  usePageKeys({
    enter: () => {
      setTesting(true);
      document.querySelector<HTMLElement>(`[aria-label="${t('canvas.testChat')}"] textarea`)?.focus();
    },
  });
  usePageShortcuts(mayEdit);
  return (
    <div className={css.page}>
      <FlowHeader
        flow={flow}
        tab={tab}
        mayEdit={mayRename}
        saved={edited.state}
        chip={<slots.State {...shared} />}
        actions={
          <>
            {narrow ? (
              <>
                <IconButton
                  icon={MessageSquareText}
                  label={t('canvas.test')}
                  pressed={testing}
                  onClick={toggleTest}
                />
                <IconButton icon={SquareCode} label={t('canvas.api')} onClick={() => setShowsApi(true)} />
              </>
            ) : (
              <>
                <Button icon={MessageSquareText} aria-pressed={testing} onClick={toggleTest}>
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
          {tab === 'editor' && editor(shared)}
          {tab === 'runs' && <slots.Runs {...shared} />}
          {tab === 'versions' && <slots.Versions {...shared} />}
          {tab === 'settings' && <slots.Settings {...shared} />}
        </div>
        {testing && (
          <SidePanel name="test" label={t('canvas.testChat')}>
            <slots.Test {...shared} question={question} onClose={closeTest} />
          </SidePanel>
        )}
      </div>
      {showsApi && <slots.Api {...shared} onClose={() => setShowsApi(false)} />}
    </div>
  );
}
