import { use, useState, type ReactNode } from 'react';
import {
  isLost,
  useCheck,
  useCheckSetup,
  useKeptQuestions,
  useStartCheck,
  type Check,
  type CheckSetup,
  type CheckSource,
  type CheckStart,
  type KeptQuestion,
} from '../../api/checks';
import type { Flow } from '../../api/models';
import { Banner, Button, Loaded, Segments } from '../../ui';
import css from './Check.module.css';
import { Kept } from './Kept';
import { Progress, questionOf } from './Progress';
import { Refusal } from './Refusal';
import { Result } from './Result';
import { Setup } from './Setup';
import { outcomeOf } from './verdict';
import { Source, t, useWords } from './words';

export interface CheckPanelProps {
  flow: Pick<Flow, 'id'>;
  /** What is checked: the draft, where nothing else is said. */
  source?: CheckSource;
  goToNode: (id: string) => void;
  /** Something was typed that is lost when this goes. */
  onTyped: (typed: boolean) => void;
}

/** A check: set up, as it runs, what came of it, and the questions that are kept for it. */
export default function CheckPanel(props: CheckPanelProps): ReactNode {
  const { flow, source = 'draft', goToNode, onTyped } = props;
  const setup = useCheckSetup(flow.id, source);
  const kept = useKeptQuestions(flow.id);
  const both = {
    data: setup.data && kept.data && { setup: setup.data, kept: kept.data },
    error: setup.error ?? kept.error,
    refetch: () => Promise.all([setup.refetch(), kept.refetch()]),
  };
  return (
    <Source value={source}>
      <Loaded query={both}>
        {(data) => <Panel flow={flow.id} {...data} goToNode={goToNode} onTyped={onTyped} />}
      </Loaded>
    </Source>
  );
}

type View = 'setup' | 'check' | 'kept';

interface PanelProps extends Pick<CheckPanelProps, 'goToNode' | 'onTyped'> {
  flow: string;
  setup: CheckSetup;
  kept: readonly KeptQuestion[];
}

function Panel({ flow, setup, kept, goToNode, onTyped }: PanelProps): ReactNode {
  const source = use(Source);
  const say = useWords();
  const [shown, show] = useState<string | null>(setup.check?.id ?? null);
  const [view, go] = useState<View>(setup.check ? 'check' : 'setup');
  const check = useCheck(flow, shown, source);
  const start = useStartCheck(flow, source);
  const begin = (body: CheckStart): void =>
    start.mutate(body, {
      onSuccess: ({ id }) => {
        show(id);
        go('check');
      },
    });
  const look = (id: string): void => {
    show(id);
    go('check');
    start.reset();
  };
  const running = check.data?.status === 'running';
  const other = setup.check && setup.check.id !== shown ? setup.check : null;
  return (
    <div className={css.panel}>
      {/* Here from the start, so that what changes in it is read aloud. */}
      <p className="sr-only" role="status">
        {view === 'check' && check.data ? told(check.data, say) : ''}
      </p>
      <Segments<View>
        label={t('check.views')}
        value={view}
        onChange={go}
        options={[
          { value: 'setup', label: t('check.viewSetup') },
          ...(shown === null
            ? []
            : [{ value: 'check' as const, label: t(running ? 'check.viewRunning' : 'check.viewResult') }]),
          { value: 'kept', label: t('check.viewKept', { count: kept.length }) },
        ]}
      />
      {other && view !== 'kept' && (
        <Banner
          title={t(other.status === 'running' ? 'check.otherRuns' : 'check.otherIsThere')}
          actions={
            <Button size="compact" onClick={() => look(other.id)}>
              {t('check.show')}
            </Button>
          }
        />
      )}
      {view === 'setup' && (
        <Setup
          flow={flow}
          setup={setup}
          kept={kept}
          start={start}
          onStart={begin}
          onKept={() => go('kept')}
        />
      )}
      {view === 'check' && isLost(check.error) && (
        <Banner
          tone="warning"
          title={check.error?.message ?? ''}
          actions={
            <Button size="compact" onClick={() => go('setup')}>
              {t('check.setUp')}
            </Button>
          }
        >
          {t('check.lost')}
        </Banner>
      )}
      {view === 'check' && !isLost(check.error) && (
        <Loaded query={check}>
          {(data) => {
            const shared = { flow, setup, kept, check: data, goToNode, onKept: () => go('kept') };
            return data.status === 'running' ? (
              <Progress {...shared} />
            ) : (
              <>
                <Refusal error={start.error} />
                <Result {...shared} busy={start.isPending} onAgain={begin} />
              </>
            );
          }}
        </Loaded>
      )}
      {view === 'kept' && <Kept flow={flow} rows={kept} onTyped={onTyped} />}
    </div>
  );
}

const told = (check: Check, say: typeof t): string =>
  check.status === 'running' ? questionOf(check) : say(`check.outcome.${outcomeOf(check)}`);
