import { useLocation } from 'wouter';
import { useCopyAssistant } from '../../api/assistants';
import { copyKeptQuestions, readDraft, readFlow, readHarnessNames, useCreateFlow } from '../../api/flows';
import type { Flow, FlowSummary } from '../../api/models';
import { download } from '../../core/download';
import { exportFlow } from '../../core/flowfile';
import { withFreeName } from '../../core/teamname';
import { toast } from '../../ui';
import { t } from './words';

/** The flow with the canvas a person sees when they open it: the draft's when there is one. */
async function asEdited(summary: FlowSummary): Promise<Flow> {
  const flow = await readFlow(summary.id);
  if (summary.state?.mode === 'live') return flow;
  const draft = await readDraft(summary.id).then((status) => status.draft);
  return draft ? { ...flow, flowData: draft.flowData } : flow;
}

const fails = (error: Error): void => toast({ text: error.message, tone: 'danger' });

export interface FlowFiles {
  exportFile: (flow: FlowSummary) => void;
  duplicate: (flow: FlowSummary) => void;
}

export function useFlowFiles(): FlowFiles {
  const create = useCreateFlow();
  const copyTold = useCopyAssistant();
  const [, go] = useLocation();
  const exportFile = async (summary: FlowSummary): Promise<void> => {
    const flow = await asEdited(summary);
    download(`${flow.name}.json`, exportFlow(flow));
  };
  const duplicate = async (summary: FlowSummary): Promise<void> => {
    const { type, flowData: drawn, category, chatbotConfig, apiConfig, ...flow } = await asEdited(summary);
    const name = t('flows.copyOf', { name: flow.name });
    const flowData = type === 'HARNESS' ? withFreeName(drawn, await readHarnessNames()) : drawn;
    const settings = {
      category,
      ...(chatbotConfig ? { chatbotConfig } : {}),
      ...(apiConfig ? { apiConfig } : {}),
    };
    const copy =
      type === 'ASSISTANT'
        ? await copyTold.mutateAsync({ id: flow.id, name, settings })
        : await create.mutateAsync({ name, type, flowData, ...settings });
    await copyKeptQuestions(summary.id, copy.id).catch(fails);
    toast({
      text: t('flows.duplicated', { name }),
      action: { label: t('flows.open'), onClick: () => go(`/flows/${copy.id}`) },
    });
  };
  return {
    exportFile: (flow) => void exportFile(flow).catch(fails),
    duplicate: (flow) => void duplicate(flow).catch(fails),
  };
}
