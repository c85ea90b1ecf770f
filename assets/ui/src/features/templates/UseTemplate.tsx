import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { Card } from '../../api/cards';
import { readHarnessNames, useCreateFlow } from '../../api/flows';
import { useCan } from '../../api/me';
import { list } from '../../core/format';
import type { PickedCard } from '../../core/nodes';
import { withFreeName } from '../../core/teamname';
import { Banner, Field, FormDialog, Input, Skeleton, useForm, useMedia } from '../../ui';
import { PickCard } from '../../ui/PickCard';
import { firstModel, missingCards, modelsOf, typeOf, type Entry } from './entries';
import type { TemplateParts } from './parts';
import css from './Templates.module.css';
import { t } from './words';

export interface UseTemplateProps {
  entry: Entry;
  cards: readonly Card[];
  /** The kinds of credential that are here. */
  kinds: ReadonlySet<string>;
  lacks: readonly string[];
  parts: TemplateParts;
  onClose: () => void;
}

/** What a template is, what it needs, and the way to a flow of one's own. */
export default function UseTemplate({
  entry,
  cards,
  kinds,
  lacks,
  parts,
  onClose,
}: UseTemplateProps): ReactNode {
  const { recipe } = entry;
  const known = useMemo(() => new Map(cards.map((card) => [card.name, card])), [cards]);
  const type = typeOf(entry, known);
  const missing = missingCards(entry, known);
  const create = useCreateFlow();
  const can = useCan();
  const [, go] = useLocation();
  const asks = recipe && !recipe.alone;
  const models = modelsOf(cards);
  const [model, setModel] = useState<PickedCard>(() => ({
    name: recipe ? firstModel(recipe, models, kinds) : '',
    config: {},
  }));
  const drawing = useDrawing(entry, model, parts);
  // What is drawn already is made with an empty place for such a card; a recipe is not drawn without it.
  const stuck = recipe !== undefined && missing.length > 0;
  const mayMake = can(
    type === 'AGENTFLOW' || type === 'MULTIAGENT' ? 'agentflows:create' : 'chatflows:create',
  );
  const form = useForm(
    { name: entry.name },
    {
      check: ({ name }) => ({
        ...(name.trim() ? {} : { name: t('kit.needed') }),
        ...(drawing.error ? { form: t('templates.notMade') } : {}),
      }),
      send: async ({ name }) => {
        const drawn = recipe ? await parts.draw(recipe, model).catch(refuse) : (entry.flowData ?? '');
        const flowData = type === 'HARNESS' ? withFreeName(drawn, await readHarnessNames()) : drawn;
        const { id } = await create.mutateAsync({ name: name.trim(), type, flowData });
        go(`/flows/${id}`);
      },
    },
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={entry.name}
      description={entry.description}
      action={t('templates.useIt')}
      size="large"
      readOnly={!mayMake || stuck}
    >
      {missing.length > 0 && (
        <Banner
          tone={stuck ? 'danger' : 'warning'}
          title={t('templates.missingTitle', { cards: list(missing) })}
        >
          {t(stuck ? 'templates.stuckText' : 'templates.missingText')}
        </Banner>
      )}
      {!stuck && (
        <Drawn
          drawing={drawing}
          parts={parts}
          name={entry.name}
          around={known.get(model.name)?.label ?? model.name}
          asks={Boolean(asks)}
        />
      )}
      {recipe?.needs && <Banner tone="warning">{t(`templates.needsText.${recipe.needs}`)}</Banner>}
      {lacks.length > 0 && <Banner tone="warning">{t('templates.lacksText', { cards: list(lacks) })}</Banner>}
      {!mayMake && <Banner>{t('templates.mayNot')}</Banner>}
      <Field label={t('templates.flowName')} error={form.errors.name}>
        <Input
          data-autofocus
          maxLength={200}
          value={form.values.name}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
      {asks && (
        <PickCard
          label={t('templates.model')}
          help={t('templates.modelHelp')}
          cards={models}
          failure={null}
          picked={model}
          onPick={setModel}
          readOnly={!mayMake || stuck}
          Settings={parts.CardSettings}
          without={otherThanModel(models, model.name)}
        />
      )}
    </FormDialog>
  );
}

/** What a drawing throws belongs into the form, as a refusal of the service does. */
function refuse(cause: unknown): never {
  if (cause instanceof Error && 'status' in cause) throw cause;
  throw Object.assign(new Error(t('templates.notMade')), { status: 422 });
}

/** Here a model is chosen and its credential; the rest is set on the canvas. */
const otherThanModel = (models: readonly Card[], name: string): string[] =>
  (models.find((one) => one.name === name)?.inputs ?? [])
    .map((input) => input.name)
    .filter((input) => !/^(model|modelName|customModel|basepath|baseUrl)$/.test(input));

/** The canvas as it would be; a recipe is drawn anew for another model. */
const useDrawing = ({ id, recipe, flowData }: Entry, model: PickedCard, parts: TemplateParts) =>
  useQuery({
    queryKey: ['drawing', id, model.name],
    staleTime: Infinity,
    retry: false,
    queryFn: () => (recipe ? parts.draw(recipe, { ...model, config: {} }) : (flowData ?? '')),
  });

interface DrawnProps {
  drawing: { data: string | undefined; error: Error | null };
  parts: TemplateParts;
  name: string;
  /** What the model is called, and whether another may be chosen. */
  around: string;
  asks: boolean;
}

function Drawn({ drawing, parts, name, around, asks }: DrawnProps): ReactNode {
  const tall = useMedia('(height >= 640px)');
  if (drawing.error)
    return (
      <Banner tone="danger">
        {asks
          ? t('templates.cannotAround', { model: around })
          : t('templates.cannot', { part: drawing.error.message })}
      </Banner>
    );
  if (!tall) return null;
  return (
    <div className={css.drawing}>
      {drawing.data === undefined ? (
        <Skeleton lines={5} />
      ) : (
        <parts.Canvas flowData={drawing.data} label={t('templates.drawing', { name })} />
      )}
    </div>
  );
}
