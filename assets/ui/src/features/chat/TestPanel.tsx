import { MessageSquareText, RotateCcw, X } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useUploadOffer } from '../../api/chat';
import { useCan, useMe } from '../../api/me';
import type { DraftStatus, Flow } from '../../api/models';
import { localName } from '../../core/localCopy';
import { newestOf, nodeErrors, nodeStates, noRun, type StepState } from '../../core/run';
import { startFormOf, valuesOf } from '../../core/startForm';
import { Badge, EmptyState, IconButton, later, scrollRegion, Segments } from '../../ui';
import { asAsked, isDecided, stepsOfTurn, type Question, type Source, type StepsTold } from './conversation';
import { Composer } from './Composer';
import css from './Chat.module.css';
import { hasCards, offerOf, starterPrompts } from './offer';
import { Prompts } from './Prompts';
import { Turns } from './Turns';
import { useStableActions } from './useStableActions';
import { useConversation } from './useConversation';
import { useFilledForm } from './useFilledForm';
import { useTeamTold } from './useTeamTold';
import { t } from './words';

// Most flows begin with a question.
const StartFormFields = later(() => import('./StartFormFields'), null);

/** A run as the canvas is told of it. */
export interface RunShown {
  states: ReadonlyMap<string, StepState>;
  open: (nodeId: string) => void;
  /** Why nodes failed. */
  errors: ReadonlyMap<string, string>;
}

export interface TestPanelProps {
  flow: Flow;
  status: DraftStatus;
  unsaved: boolean;
  save: () => Promise<boolean>;
  goToNode: (id: string) => void;
  showRun: (run: RunShown | null) => void;
  /** A question that is to be asked once more; the person sends it. */
  question?: string;
  onClose: () => void;
}

/** The test chat beside the canvas: asks the draft or Live and shows how the answer came about. */
export default function TestPanel(props: TestPanelProps): ReactNode {
  const { flow, status, unsaved, save, goToNode, showRun, question, onClose } = props;
  const talk = useConversation(flow.id, useCan()('executions:view'));
  const { conversation, busy } = talk;
  const person = useMe().data?.id ?? '';
  const place = localName(person, `chat.${flow.id}`);
  // The form goes while it is answered, and comes back when that failed: as it was filled in.
  const typed = useFilledForm(localName(person, `form.${flow.id}`));
  const composer = useRef<HTMLTextAreaElement>(null);
  const saving = useRef(false);
  const [wish, setWish] = useState<Source>('draft');
  const draft = status.draft?.flowData ?? null;
  const choice = choices(flow, draft, unsaved && status.mode === 'draft');
  const source: Source = choice.includes(wish) ? wish : (choice[0] ?? 'live');
  const uploads = useUploadOffer(flow.id);
  const offer = offerOf(flow, uploads.data, source === 'draft' ? draft : null);

  const panel = useRef<HTMLElement>(null);
  const entered = useRef(false);
  const focus = useCallback(() => {
    const field = panel.current?.querySelector<HTMLElement>('form :is(input, [role=combobox], button)');
    const next = composer.current ?? field;
    entered.current ||= Boolean(next);
    next?.focus();
  }, []);
  /** Focus comes with the panel, and back from what is gone; else it stays where the person is. */
  const enter = useCallback(() => {
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (!entered.current || lost) focus();
  }, [focus]);
  const { ask: send } = talk;
  const ask = async (asked: Question, inPlace = false): Promise<boolean> => {
    if (saving.current) return false;
    saving.current = true;
    try {
      // What is asked is what is seen: edits on their way go first. When they cannot be saved, the editor says why.
      if (unsaved && asked.source === 'draft' && !(await save())) return false;
    } finally {
      saving.current = false;
    }
    return send(asked, inPlace);
  };
  const pick = (question: string): void => {
    focus();
    void ask({ question, files: [], source });
  };
  const restart = (): void => {
    typed.clear();
    talk.reset();
    showRun(null);
    focus();
  };

  const { turns } = conversation;
  const [opened, setOpened] = useState(noneOpen);
  const openStep = useCallback((turn: number, key: string, open: boolean) => {
    setOpened((now) => {
      const keys = new Set(now.get(turn));
      if (open) keys.add(key);
      else keys.delete(key);
      return new Map(now).set(turn, keys);
    });
  }, []);
  const shown = turns.findLast(({ run }) => run.entries.length + run.open.length > 0);
  const newest = turns.at(-1);
  const decided = shown !== undefined && isDecided(shown, turns);
  const shownId = shown?.id;
  const { run, state, asked } = shown ?? nothingShown;
  // Not with each token of an answer: all cards of the canvas hear of it.
  const steps = useMemo(() => stepsOfTurn({ run, state, asked }, decided), [run, state, asked, decided]);
  const [wanted, setWanted] = useState<string | null>(null);
  const [target, setTarget] = useState<string | null>(null);
  useEffect(() => {
    if (steps.length > 0) showRun({ states: nodeStates(steps), errors: nodeErrors(steps), open: setWanted });
  }, [steps, showRun]);
  useTeamTold({
    flow,
    draft,
    turn: flow.type === 'HARNESS' || newest?.team.length ? newest : undefined,
    showRun,
    onOpen: setTarget,
  });
  // The state of a card was clicked: its newest step is opened, and gets the focus.
  useEffect(() => {
    const step = wanted === null ? null : newestOf(steps, wanted);
    if (wanted === null) return;
    setWanted(null);
    if (!step || shownId === undefined) return;
    openStep(shownId, step.key, true);
    setTarget(`[data-turn="${shownId}"] [data-step="${CSS.escape(step.key)}"]`);
  }, [wanted, steps, shownId, openStep]);
  // Its row may be drawn only now, because it is open: inside of an item, or among the early steps of many.
  useEffect(() => {
    if (target === null) return;
    setTarget(null);
    const row = panel.current?.querySelector<HTMLElement>(target);
    row?.querySelector<HTMLElement>('button, summary, a')?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'start' });
  }, [target]);
  // What was drawn of a run goes with the panel.
  useEffect(() => () => showRun(null), [showRun]);

  const actions = useStableActions({
    onRetry: () => {
      focus();
      const last = turns.at(-1);
      if (last) void ask(asAsked(last), true);
    },
    onPick: pick,
    onDecide: (turn, decision, label) => {
      focus();
      const question = decision.feedback ? `${label}: ${decision.feedback}` : label;
      const chatId = turn.chatId ?? null;
      void ask({ question, files: [], source: turn.source, decision, chatId });
    },
    onAgain: (executionId, step) => {
      focus();
      const again = { executionId, fromNode: step.nodeId };
      void ask({
        question: t('chat.againFrom', { name: step.label }),
        files: [],
        source: draft === null && !choice.includes('draft') ? 'live' : 'draft',
        again: step.item ? { ...again, iterationIndex: step.item.index } : again,
      });
    },
    goToNode,
  });

  const canvas = source === 'draft' ? (draft ?? flow.flowData) : flow.flowData;
  const form = useMemo(() => startFormOf(canvas), [canvas]);
  const begins = form !== null && !turns.some((turn) => turn.form && turn.state !== 'failed');
  useEffect(enter, [enter, begins]);
  return (
    <section ref={panel} className={css.panel} aria-label={t('chat.title')}>
      <header className={css.head}>
        <h2 className={css.title}>{t('chat.title')}</h2>
        {choice.length > 1 ? (
          <Segments
            label={t('chat.source')}
            value={source}
            onChange={setWish}
            options={choice.map((value) => ({ value, label: t(`chat.${value}`) }))}
          />
        ) : (
          choice.length === 1 && <Badge>{t(source === 'draft' ? 'chat.asksDraft' : 'chat.asksLive')}</Badge>
        )}
        <span className={css.space} />
        <IconButton
          icon={RotateCcw}
          label={t('chat.new')}
          onClick={restart}
          disabled={conversation.turns.length === 0}
        />
        <IconButton icon={X} label={t('kit.close')} onClick={onClose} />
      </header>
      {choice.length === 0 && conversation.turns.length === 0 ? (
        <div ref={scrollRegion} className={css.blank}>
          <EmptyState icon={MessageSquareText} title={t('chat.noCards')}>
            {t('chat.noCardsText')}
          </EmptyState>
        </div>
      ) : conversation.turns.length === 0 ? (
        <div ref={scrollRegion} className={css.blank}>
          <EmptyState icon={MessageSquareText} title={t(begins ? 'chat.fillIn' : 'chat.empty')}>
            {t(
              begins
                ? source === 'draft'
                  ? 'chat.formDraft'
                  : 'chat.formLive'
                : source === 'draft'
                  ? 'chat.emptyDraft'
                  : 'chat.emptyLive',
            )}
          </EmptyState>
          {!begins && <Prompts label={t('chat.starters')} prompts={starterPrompts(flow)} onPick={pick} />}
        </div>
      ) : (
        <Turns
          turns={turns}
          busy={busy}
          showSource={choice.length > 1}
          drawn={flow.type !== 'ASSISTANT'}
          opened={opened}
          onOpen={openStep}
          actions={actions}
        />
      )}
      {begins ? (
        <StartFormFields
          key={source}
          form={form}
          onShown={enter}
          values={valuesOf(form, typed.filled[source])}
          onChange={(values) => typed.fill(source, values)}
          busy={busy}
          onSend={(question, values) => {
            typed.send();
            void ask({ question, files: [], source, form: values }).then((sent) => sent || typed.takeBack());
          }}
          onStop={talk.stop}
        />
      ) : (
        <Composer
          key={place}
          input={composer}
          place={place}
          {...(question ? { first: question } : {})}
          offer={offer}
          busy={busy}
          disabled={choice.length === 0}
          onSend={(question, files) => {
            focus();
            return ask({ question, files, source });
          }}
          onStop={() => {
            talk.stop();
            focus();
          }}
        />
      )}
    </section>
  );
}

const noneOpen: ReadonlyMap<number, ReadonlySet<string>> = new Map();

const nothingShown: StepsTold = { run: noRun, state: 'done', asked: null };

/** What can be asked, the first choice first. */
function choices(flow: Flow, draft: string | null, unsaved: boolean): Source[] {
  const inDraft = draft === null ? unsaved : hasCards(draft) || unsaved;
  return [...(inDraft ? ['draft' as const] : []), ...(hasCards(flow.flowData) ? ['live' as const] : [])];
}
