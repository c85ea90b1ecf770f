import type { ReactNode } from 'react';
import { readCards } from '../api/cards';
import { CanvasView } from '../features/canvas/board/CanvasView';
import type { TemplateParts } from '../features/templates/parts';
import { TemplatesPage } from '../features/templates/TemplatesPage';
import { later } from '../ui';

const CardSettings = later(() => import('../features/canvas/panel/CardSettings'), null);
const NewCredential = later(() => import('../features/credentials/CredentialForCard'), null);

/** What the features put into the gallery: the one place where they meet. */
const parts: TemplateParts = {
  CardSettings: (props) => <CardSettings {...props} NewCredential={NewCredential} />,
  Canvas: CanvasView,
  draw: async (recipe, model) => {
    const [cards, { drawRecipe }] = await Promise.all([
      readCards(),
      import('../features/canvas/document/recipe'),
    ]);
    return drawRecipe(recipe, cards, model);
  },
};

export default function TemplatesScreen(): ReactNode {
  return <TemplatesPage parts={parts} />;
}
