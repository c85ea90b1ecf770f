import { Plus, Workflow } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useCreateFlow, useFlows } from '../../api/flows';
import { useCan } from '../../api/me';
import type { FlowSummary } from '../../api/models';
import type { Store } from '../../api/stores';
import { compareNames } from '../../core/format';
import { Banner, Button, CommandMenu, toast, type CommandItem } from '../../ui';
import type { KnowledgeParts } from './parts';
import { t } from './words';

/** Kinds of flows whose canvas can search a store by a card of its own, and what changing one takes. */
const kinds: Partial<Record<FlowSummary['type'], string>> = {
  CHATFLOW: 'chatflows:update',
  AGENTFLOW: 'agentflows:update',
};

/** Puts the store to use in a flow that is chosen, or in a new one that answers from it, and goes there. */
export function UseInFlow({ store, parts }: { store: Store; parts: KnowledgeParts }): ReactNode {
  const create = useCreateFlow();
  const can = useCan();
  const flows = useFlows();
  const [choosing, setChoosing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [, go] = useLocation();
  const name = t('knowledge.useName', { name: store.name });

  const work = async (find: () => Promise<string>): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      go(await find());
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  const make = async (): Promise<string> => {
    const flowData = await parts.canvasFor(store.id);
    const flow = await create.mutateAsync({ name, type: 'CHATFLOW', ...(flowData ? { flowData } : {}) });
    return `/flows/${flow.id}`;
  };
  const putInto = async (flow: FlowSummary): Promise<string> => {
    const { node, loose } = await parts.putToUse(store, flow);
    if (loose) toast(t('knowledge.useLoose', { name: flow.name }));
    return `/flows/${flow.id}?node=${encodeURIComponent(node)}`;
  };
  const mine = (flows.data ?? []).filter(({ type }) => kinds[type] !== undefined && can(kinds[type]));
  const items: CommandItem[] = [
    ...(can('chatflows:create')
      ? [{ id: 'new', label: name, group: t('knowledge.useNew'), icon: Plus, run: () => void work(make) }]
      : []),
    ...mine
      .sort((a, b) => compareNames(a.name, b.name))
      .map((flow) => ({
        id: flow.id,
        label: flow.name,
        group: t('knowledge.useFlows'),
        icon: Workflow,
        ...(store.whereUsed.some((one) => one.id === flow.id) ? { hint: t('knowledge.useAlready') } : {}),
        run: () => void work(() => putInto(flow)),
      })),
  ];
  if (!can('chatflows:create', 'chatflows:update', 'agentflows:update')) return null;
  return (
    <>
      {fault && <Banner tone="danger">{t('knowledge.useFailed', { reason: fault })}</Banner>}
      <Button icon={Workflow} busy={busy} onClick={() => setChoosing(true)}>
        {t('knowledge.use')}
      </Button>
      <CommandMenu
        open={choosing}
        onClose={() => setChoosing(false)}
        items={items}
        label={t('knowledge.use')}
        placeholder={t('knowledge.useSearch')}
      />
    </>
  );
}
