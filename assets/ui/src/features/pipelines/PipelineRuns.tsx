import { useRef, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { RUN_ROWS, underWay, usePipelineRuns, type PipelineRun } from '../../api/pipelines';
import type { Flow } from '../../api/models';
import { pageOf } from '../../core/paging';
import { declaredParams } from '../../core/start';
import { t } from '../../i18n';
import { Loaded, Page, toast, useAddress } from '../../ui';
import { Files } from './Files';
import { runAddress } from './run';
import { RunDrawer } from './RunDrawer';
import { RunList } from './RunList';
import { StartForm } from './StartForm';
import { UnderWay } from './UnderWay';
import { useFollowedRun } from './useFollowedRun';
import './words';

export interface PipelineRunsProps {
  flow: Flow;
  mayEdit: boolean;
  /** Whether the Editor holds what Live does not have. */
  unsaved: boolean;
}

/** The runs of a pipeline: starts one, follows the one under way, lists those before and the files they wrote. */
export default function PipelineRuns({ flow, mayEdit, unsaved }: PipelineRunsProps): ReactNode {
  const { id } = flow;
  const { read, put } = useAddress();
  const [, go] = useLocation();
  const page = pageOf(read('page'));
  const newest = usePipelineRuns(id, 1);
  const listed = usePipelineRuns(id, page);
  const current = newest.data ? underWay(newest.data) : null;
  /** The dry run that was started here: its results are what it was started for. */
  const dry = useRef<string | null>(null);
  useFollowedRun(id, current?.id ?? null, (run) => {
    if (run.state === 'FINISHED' && run.id === dry.current) go(runAddress(id, run.id, page));
    else toast(endOf(run, () => go(runAddress(id, run.id))));
  });
  const params = declaredParams(flow.flowData);
  const open = read('run');
  const known = [...(newest.data?.data ?? []), ...(listed.data?.data ?? [])];
  return (
    <Page>
      <Loaded query={newest}>
        {({ data: [latest] }) => (
          <>
            {current && <UnderWay key={current.id} flow={id} run={current} mayStop={mayEdit} />}
            {mayEdit && (
              <StartForm
                key={JSON.stringify(params)}
                flow={id}
                params={params}
                unsaved={unsaved}
                busy={current !== null}
                onStarted={(run) => {
                  dry.current = run.dryRun ? run.id : null;
                  put({ page: '' });
                }}
              />
            )}
            <RunList
              flow={id}
              query={listed}
              page={page}
              limit={RUN_ROWS}
              onPage={(next) => put({ page: next > 1 ? String(next) : '' })}
            />
            <Files flow={id} after={latest ? `${latest.id} ${latest.state}` : ''} mayDelete={mayEdit} />
          </>
        )}
      </Loaded>
      {open && (
        <RunDrawer
          key={open}
          flow={id}
          id={open}
          known={known.find((run) => run.id === open) ?? null}
          onClose={() => put({ run: '' })}
        />
      )}
    </Page>
  );
}

const endOf = ({ state }: PipelineRun, show: () => void): Parameters<typeof toast>[0] => ({
  text: t(`pipelines.ended.${state === 'RUNNING' ? 'FINISHED' : state}`),
  ...(state === 'FAILED' && { tone: 'danger' as const }),
  action: { label: t('pipelines.openRun'), onClick: show },
});
