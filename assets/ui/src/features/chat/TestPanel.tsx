import { MessageSquareText, RotateCcw, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useUploadOffer } from '../../api/chat';
import type { DraftStatus, Flow } from '../../api/models';
import { t } from '../../i18n';
import { Badge, EmptyState, IconButton, scrollRegion, Segments } from '../../ui';
import type { ChatFile, Source, StepState } from './conversation';
import { Composer } from './Composer';
import css from './Chat.module.css';
import { hasCards, offerOf, starterPrompts } from './offer';
import { Prompts } from './Prompts';
import { Turns } from './Turns';
import { useConversation } from './useConversation';

export interface TestPanelProps {
  flow: Flow;
  status: DraftStatus;
  unsaved: boolean;
  save: () => Promise<boolean>;
  goToNode: (id: string) => void;
  showRun: (run: ReadonlyMap<string, StepState> | null) => void;
  onClose: () => void;
}

/** The test chat beside the canvas: asks the draft or Live and shows how the answer came about. */
export default function TestPanel(props: TestPanelProps): ReactNode {
  const { flow, status, unsaved, save, goToNode, showRun, onClose } = props;
  const talk = useConversation(flow.id);
  const { conversation, busy } = talk;
  const composer = useRef<HTMLTextAreaElement>(null);
  const saving = useRef(false);
  const [wish, setWish] = useState<Source>('draft');
  const draft = status.draft?.flowData ?? null;
  const choice = choices(flow, draft, unsaved && status.mode === 'draft');
  const source: Source = choice.includes(wish) ? wish : (choice[0] ?? 'live');
  const uploads = useUploadOffer(flow.id);
  const offer = offerOf(flow, uploads.data, source === 'draft' ? draft : null);

  const focus = useCallback(() => composer.current?.focus(), []);
  useEffect(focus, [focus]);
  const ask = async (question: string, files: readonly ChatFile[]): Promise<boolean> => {
    focus();
    if (saving.current) return false;
    saving.current = true;
    try {
      // What is asked is what is seen: edits on their way go first. When they cannot be saved, the editor says why.
      if (unsaved && source === 'draft' && !(await save())) return false;
    } finally {
      saving.current = false;
    }
    return talk.ask({ question, files, source });
  };
  const restart = (): void => {
    talk.reset();
    showRun(null);
    focus();
  };

  const steps = conversation.turns.at(-1)?.steps;
  useEffect(() => {
    if (steps?.length) showRun(new Map(steps.map((step) => [step.nodeId, step.state])));
  }, [steps, showRun]);
  // What was drawn of a run goes with the panel.
  useEffect(() => () => showRun(null), [showRun]);

  return (
    <section className={css.panel} aria-label={t('chat.title')}>
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
          <EmptyState icon={MessageSquareText} title={t('chat.empty')}>
            {t(source === 'draft' ? 'chat.emptyDraft' : 'chat.emptyLive')}
          </EmptyState>
          <Prompts
            label={t('chat.starters')}
            prompts={starterPrompts(flow)}
            onPick={(prompt) => void ask(prompt, [])}
          />
        </div>
      ) : (
        <Turns
          turns={conversation.turns}
          showSource={choice.length > 1}
          onRetry={() => {
            focus();
            talk.retry();
          }}
          onPick={(prompt) => void ask(prompt, [])}
          goToNode={goToNode}
        />
      )}
      <Composer
        input={composer}
        offer={offer}
        busy={busy}
        disabled={choice.length === 0}
        onSend={ask}
        onStop={() => {
          talk.stop();
          focus();
        }}
      />
    </section>
  );
}

/** What can be asked, the first choice first. */
function choices(flow: Flow, draft: string | null, unsaved: boolean): Source[] {
  const inDraft = draft === null ? unsaved : hasCards(draft) || unsaved;
  return [...(inDraft ? ['draft' as const] : []), ...(hasCards(flow.flowData) ? ['live' as const] : [])];
}
