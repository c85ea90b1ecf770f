import { Cable, CopyPlus, EllipsisVertical, Plus, Replace, Trash2, X } from 'lucide-react';
import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { Card } from '../../../api/cards';
import { useVariables } from '../../../api/variables';
import { useCan } from '../../../api/me';
import type { FlowNode } from '../../../core/flowdata';
import { isNote, isObject, nodeLabel } from '../../../core/nodes';
import {
  Badge,
  Banner,
  CopyButton,
  Field,
  focusCard,
  IconButton,
  Input,
  Menu,
  Select,
  Tile,
} from '../../../ui';
import { typeOfText } from '../code/examples';
import type { BoardHandle } from '../surface/Board';
import { kindOf } from '../board/kinds';
import type { CanvasKind, Doc, Param } from '../document/doc';
import { inputsOf, isContainer, nameOf, objects, text } from '../document/doc';
import { chooseOutput, remove, setCredential, setInput, setLabel } from '../document/edit';
import { isGroup, membersOf, nameGroup, withMembers } from '../document/groups';
import { firstState, loopTargets, offersFor } from '../document/references';
import type { DocumentHandle } from '../editing/useDocument';
import { levels } from '../levels';
import type { FlowSlots, NodeProblems } from '../slots';
import { t } from '../words';
import { Connections } from './Connections';
import { PanelContext, type Panel, type Scope } from './context';
import css from './Panel.module.css';
import { GroupCards } from './GroupCards';
import { ParamFields } from './ParamFields';

export interface CardPanelProps {
  document: DocumentHandle;
  doc: Doc;
  node: FlowNode;
  kind: CanvasKind;
  /** Every card of the service. */
  cards: readonly Card[];
  problems: NodeProblems | null;
  /** Names of inputs that a request may change. */
  overridable: ReadonlySet<string>;
  NewCredential: FlowSlots['NewCredential'];
  /** What starts the flow from outside, for the panel of its Start card. */
  start: ReactNode;
  board: BoardHandle | null;
  /** Another object each time its name is to be typed over; null when nobody asked for that. */
  renaming: { id: string } | null;
  onSelect: (id: string | null) => void;
}

/** Everything that a card is set to, to be changed. */
export default function CardPanel(props: CardPanelProps): ReactNode {
  const {
    document: held,
    doc,
    node,
    kind,
    cards,
    problems,
    overridable,
    start,
    board,
    renaming,
    onSelect,
  } = props;
  const { apply } = held;
  const { id } = node;
  const can = useCan();
  const byName = useMemo(() => new Map(cards.map((card) => [card.name, card])), [cards]);
  const card = byName.get(nameOf(node));
  const variables = useVariables(can('variables:view')).data;
  const names = useMemo(() => (variables ?? []).map((one) => one.name), [variables]);
  const title = useRef<HTMLInputElement>(null);
  const named = useRef(isGroup(node));
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    // A new group is named at once: what is typed takes the place of the name it has.
    if (named.current) title.current?.select();
  }, []);
  useEffect(() => {
    if (!renaming) return;
    title.current?.focus({ preventScroll: true });
    title.current?.select();
  }, [renaming]);

  const NewCredential = can('credentials:create') ? props.NewCredential : null;
  const panel = useMemo<Panel>(
    () => ({
      node: id,
      readOnly: !held.open,
      cards: byName,
      offers: offersOnce((output) => offersFor(doc, id, kind, names, output)),
      state: new Map([...firstState(doc)].map(([key, value]) => [key, typeOfText(value)])),
      loopTargets: loopTargets(doc, id),
      overridable,
      NewCredential,
    }),
    [id, held.open, byName, doc, kind, names, overridable, NewCredential],
  );
  const inputs = inputsOf(node);
  const credential = text(node.data.credential) || text(inputs.FLOWISE_CREDENTIAL_ID);
  const scope: Scope = {
    card: nameOf(node),
    values: { ...inputs, credential },
    around: inputs,
    row: null,
    list: null,
    credential,
    change: (patch) =>
      apply(
        (now) =>
          Object.entries(patch).reduce(
            (one, [name, value]) =>
              name === 'credential'
                ? setCredential(one, id, text(value))
                : setInput(one, id, name, value, card),
            now,
          ),
        `set ${id} ${Object.keys(patch).join(' ')}`,
      ),
  };
  const params = paramsOf(node, card);
  const close = (): void => {
    onSelect(null);
    focusCard(id);
  };
  const look = kindOf(node);
  const note = isNote(node);
  const group = isGroup(node);
  return (
    <PanelContext value={panel}>
      {/* Escape closes the panel from everywhere inside it. */}
      {/* eslint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className={css.panel}
        onKeyDown={(event) => {
          // What lies above the panel has keys of its own.
          if (!event.currentTarget.contains(event.target as HTMLElement)) return;
          if (event.key === 'Escape') close();
          if (event.key === 'F2') {
            title.current?.focus();
            title.current?.select();
          }
        }}
      >
        <header className={css.head}>
          <Tile icon={look.icon} hue={look.hue} />
          <div className={css.headWords}>
            <h2 className="sr-only">{nodeLabel(node)}</h2>
            <Input
              key={id}
              ref={title}
              className={css.title}
              aria-label={t('editor.cardName')}
              defaultValue={nodeLabel(node)}
              readOnly={!held.open || (note && !group)}
              maxLength={200}
              onChange={(event) => {
                const label = event.target.value.trim();
                if (label)
                  apply(
                    (now) => (group ? nameGroup(now, id, label) : setLabel(now, id, label)),
                    `name ${id}`,
                  );
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter') event.currentTarget.blur();
              }}
            />
            <p className={css.sub}>{group ? t('editor.newGroup') : (card?.label ?? nameOf(node))}</p>
          </div>
          {held.open && (
            <Menu
              label={t('editor.cardMenu')}
              items={[
                !note && { label: t('editor.connectTo'), icon: Cable, onSelect: () => board?.connect(id) },
                isContainer(node) && {
                  label: t('editor.addInside'),
                  icon: Plus,
                  onSelect: () => board?.inside(id),
                },
                !note && { label: t('editor.replace'), icon: Replace, onSelect: () => board?.replace(id) },
                {
                  label: t('editor.duplicate'),
                  icon: CopyPlus,
                  onSelect: () => board?.duplicate(withMembers(doc, [id])),
                },
                'separator',
                {
                  label: group
                    ? t('editor.deleteGroup', { count: membersOf(doc, node).length })
                    : t('editor.delete'),
                  icon: Trash2,
                  danger: true,
                  onSelect: () => {
                    onSelect(null);
                    apply((now) => remove(now, new Set(withMembers(now, [id]))));
                  },
                },
              ]}
            >
              <IconButton icon={EllipsisVertical} size="compact" label={t('editor.cardMenu')} />
            </Menu>
          )}
          <IconButton icon={X} size="compact" label={t('kit.close')} onClick={close} />
        </header>
        {/* A region that scrolls must be reachable by keyboard. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div className={css.body} role="group" aria-label={t('canvas.inputs')} tabIndex={0}>
          {problems && (
            <Banner tone={levels[problems.level].tone}>
              {problems.issues.map((problem) => (
                <p key={problem}>{problem}</p>
              ))}
            </Banner>
          )}
          {group ? (
            <GroupCards document={held} doc={doc} node={node} onSelect={onSelect} />
          ) : (
            card?.description && <p className="note">{card.description}</p>
          )}
          <AboutCard node={node} card={card} known={cards.length > 0} />
          {!group && <ParamFields params={params} scope={scope} />}
          {nameOf(node) === 'startAgentflow' && start}
          <Output
            node={node}
            readOnly={!held.open}
            onChoose={(name) => apply((now) => chooseOutput(now, id, name))}
          />
          {!note && <Connections document={held} doc={doc} node={node} board={board} onSelect={onSelect} />}
          <p className={css.id}>
            {t('canvas.nodeId')} <code>{id}</code>
            <CopyButton text={id} label={t('canvas.copyOf', { name: t('canvas.nodeId') })} />
            {card && text(node.data.version) !== '' && <Badge>{String(node.data.version)}</Badge>}
          </p>
        </div>
      </div>
    </PanelContext>
  );
}

/** Says how the card on the canvas differs from the one that the service has. */
function AboutCard(props: { node: FlowNode; card: Card | undefined; known: boolean }): ReactNode {
  const { node, card, known } = props;
  if (!card) return known && !isGroup(node) && <Banner tone="info">{t('editor.unknownCard')}</Banner>;
  const drawn = Number(node.data.version);
  if (!drawn || drawn === card.version) return null;
  return (
    <Banner tone="info">
      {t(drawn < card.version ? 'editor.olderCard' : 'editor.newerCard', { drawn, here: card.version })}
    </Banner>
  );
}

/** Every text of a card asks what it can name: the canvas is walked for the first one. */
function offersOnce(find: Panel['offers']): Panel['offers'] {
  const found = new Map<boolean, ReturnType<typeof find>>();
  return (output) => {
    const offers = found.get(output) ?? find(output);
    found.set(output, offers);
    return offers;
  };
}

/** The inputs of a card as the service has it now; of a card that it does not know, as the canvas says. */
function paramsOf(node: FlowNode, card: Card | undefined): Param[] {
  if (card) return [...(card.credential ? [card.credential] : []), ...card.inputs];
  return objects(node.data.inputParams).filter(
    (one): one is Param =>
      typeof one.name === 'string' && typeof one.type === 'string' && typeof one.label === 'string',
  );
}

/** Which of several outputs a card of a chat canvas gives. */
function Output(props: { node: FlowNode; readOnly: boolean; onChoose: (name: string) => void }): ReactNode {
  const { node, readOnly, onChoose } = props;
  const options = objects(objects(node.data.outputAnchors)[0]?.options);
  if (options.length < 2) return null;
  const chosen = isObject(node.data.outputs) ? text(node.data.outputs.output) : '';
  return (
    <Field label={t('editor.output')} help={t('editor.outputHelp')}>
      <Select
        value={chosen}
        onChange={onChoose}
        disabled={readOnly}
        options={options.map((one) => ({ value: text(one.name), label: text(one.label) || text(one.name) }))}
      />
    </Field>
  );
}
