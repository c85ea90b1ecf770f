import type { ReactNode } from 'react';
import { keepStatus, saveDraft } from '../api/canvas';
import { readCards } from '../api/cards';
import { readDraft, readFlow } from '../api/flows';
import { queryClient } from '../api/queryClient';
import type { KnowledgeParts } from '../features/knowledge/parts';
import { StorePage } from '../features/knowledge/StorePage';
import { t } from '../features/knowledge/words';
import { later } from '../ui';
import type { ScreenProps } from './screen';

const CardSettings = later(() => import('../features/canvas/panel/CardSettings'));
const NewCredential = later(() => import('../features/credentials/CredentialForCard'), null);

/** What the features put into the page of a document store: the one place where they meet. */
const parts: KnowledgeParts = {
  CardSettings: (props) => <CardSettings {...props} NewCredential={NewCredential} />,
  canvasFor: async (store) => {
    const [cards, { retrievalCanvas }] = await Promise.all([
      readCards(),
      import('../features/canvas/document/retrieval'),
    ]);
    return retrievalCanvas(cards, store);
  },
  putToUse: async (store, { id, type }) => {
    const [cards, { draft }, live, { putStoreToUse }, { readDoc, writeDoc }] = await Promise.all([
      readCards(),
      readDraft(id),
      readFlow(id),
      import('../features/canvas/document/retrieval'),
      import('../features/canvas/document/doc'),
    ]);
    const doc = readDoc(draft?.flowData ?? live.flowData);
    const kind = type === 'AGENTFLOW' ? 'steps' : 'cards';
    const used = doc && putStoreToUse(doc, kind, cards, store);
    if (!used) throw new Error(t('knowledge.useNoCanvas'));
    if (used.doc !== doc) {
      const status = await saveDraft(id, writeDoc(used.doc), draft?.updatedDate ?? 'none');
      await keepStatus(queryClient, id, status);
    }
    return { node: used.id, loose: used.loose };
  },
};

export default function KnowledgeScreen({ params }: ScreenProps): ReactNode {
  const { id = '' } = params;
  return <StorePage key={id} id={id} parts={parts} />;
}
