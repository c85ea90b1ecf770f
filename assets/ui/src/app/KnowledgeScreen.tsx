import type { ReactNode } from 'react';
import { readCards } from '../api/cards';
import type { KnowledgeParts } from '../features/knowledge/parts';
import { StorePage } from '../features/knowledge/StorePage';
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
};

export default function KnowledgeScreen({ params }: ScreenProps): ReactNode {
  const { id = '' } = params;
  return <StorePage key={id} id={id} parts={parts} />;
}
