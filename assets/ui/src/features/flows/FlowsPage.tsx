import { FileUp, LayoutTemplate, Plus, Workflow } from 'lucide-react';
import { memo, useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useFlows } from '../../api/flows';
import { useCan } from '../../api/me';
import type { FlowSummary } from '../../api/models';
import { Banner, Button, EmptyState, FilteredEmpty, Loaded, Page, PageHeader, useActions } from '../../ui';
import { FlowDialogs, type Open } from './FlowDialogs';
import { FlowList } from './FlowList';
import { NewFlowDialog } from './NewFlowDialog';
import { passing } from './state';
import { useImport } from './useImport';
import { useListView } from './useListView';
import { ListTools } from './ListTools';
import { t } from './words';

/** All flows of the workspace. */
export default function FlowsPage(): ReactNode {
  const flows = useFlows();
  const can = useCan();
  const [making, setMaking] = useState(false);
  const importing = useImport();
  const mayCreate = can('chatflows:create', 'agentflows:create', 'assistants:create');
  const mayImport = can('chatflows:import', 'agentflows:import', 'workspace:import');
  const { choose } = importing;
  useActions(
    useMemo(
      () => [
        ...(mayCreate ? [{ id: 'flows new', label: t('flows.new'), run: () => setMaking(true) }] : []),
        ...(mayImport ? [{ id: 'flows import', label: t('flows.import'), run: choose }] : []),
      ],
      [mayCreate, mayImport, choose],
    ),
  );
  const begin = (mayCreate || mayImport) && (
    <>
      {mayCreate && can('templates:marketplace') && flows.data?.length === 0 && (
        <Button asChild>
          <Link href="/templates">
            <LayoutTemplate size={15} aria-hidden /> {t('flows.fromTemplate')}
          </Link>
        </Button>
      )}
      {mayImport && (
        <Button icon={FileUp} onClick={choose} busy={importing.busy}>
          {t('flows.import')}
        </Button>
      )}
      {mayCreate && (
        <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
          {t('flows.new')}
        </Button>
      )}
    </>
  );
  return (
    <Page>
      <PageHeader title={t('flows.title')} actions={flows.data?.length !== 0 && begin} />
      {importing.problem && (
        <Banner tone="danger" title={importing.problem.title} onClose={importing.forget}>
          {importing.problem.text}
        </Banner>
      )}
      <Loaded query={flows}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={Workflow} title={t('flows.empty')} actions={begin}>
              {t('flows.emptyText')}
            </EmptyState>
          ) : (
            <FlowListing flows={list} />
          )
        }
      </Loaded>
      {importing.input}
      {making && <NewFlowDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function FlowListing({ flows }: { flows: FlowSummary[] }): ReactNode {
  const [open, setOpen] = useState<Open | null>(null);
  return (
    <>
      <FoundFlows flows={flows} onOpen={setOpen} />
      <FlowDialogs open={open} onClose={() => setOpen(null)} />
    </>
  );
}

interface FoundFlowsProps {
  flows: FlowSummary[];
  onOpen: (open: Open) => void;
}

/** The list, which is not drawn anew for a dialog of the page or of a flow. */
const FoundFlows = memo(function FoundFlows({ flows, onOpen }: FoundFlowsProps): ReactNode {
  const list = useListView();
  const shown = passing(flows, list.view);
  return (
    <ListTools flows={flows} list={list}>
      <p className="sr-only" role="status">
        {t('flows.found', { count: shown.length })}
      </p>
      {shown.length === 0 ? (
        <FilteredEmpty onClear={() => list.change({ kind: '', state: '', tag: '', text: '' })} />
      ) : (
        <FlowList flows={shown} list={list} onOpen={onOpen} />
      )}
    </ListTools>
  );
});
