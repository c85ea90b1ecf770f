import { Sparkles } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useAssistantCards } from '../../api/assistants';
import { useProblems } from '../../api/canvas';
import type { Flow } from '../../api/models';
import { Banner, Button, Field, Fields, Input, later, PickCard, Section, TextArea } from '../../ui';
import css from './Assistants.module.css';
import type { AssistantParts } from './parts';
import { Stores } from './Stores';
import { Tools } from './Tools';
import type { AssistantForm as Edited } from './useAssistantForm';
import { t } from './words';

const WriteInstructions = later(() => import('./WriteInstructions'), null);

export interface AssistantFormProps {
  flow: Flow;
  edited: Edited;
  mayEdit: boolean;
  parts: AssistantParts;
}

/** What an assistant is made of. */
export function AssistantForm({ flow, edited, mayEdit, parts }: AssistantFormProps): ReactNode {
  const { values, set, unsaved } = edited;
  const models = useAssistantCards('chatmodels');
  const [writing, setWriting] = useState(false);
  const readOnly = !mayEdit;
  return (
    <div className={css.form}>
      <Notices edited={edited} />
      {!unsaved && <Problems flow={flow} />}
      <Section title={t('assistants.who')}>
        <Fields>
          <Field label={t('kit.name')} required>
            <Input
              maxLength={200}
              readOnly={readOnly}
              value={values.name}
              onChange={(event) => set({ name: event.target.value })}
            />
          </Field>
          <Field
            label={t('assistants.instruction')}
            help={t('assistants.instructionHelp')}
            aside={
              mayEdit && (
                <Button
                  size="compact"
                  variant="ghost"
                  icon={Sparkles}
                  disabled={!values.model.name}
                  title={values.model.name ? undefined : t('assistants.writeNeedsModel')}
                  onClick={() => setWriting(true)}
                >
                  {t('assistants.write')}
                </Button>
              )
            }
          >
            <TextArea
              rows={8}
              readOnly={readOnly}
              value={values.instruction}
              onChange={(event) => set({ instruction: event.target.value })}
            />
          </Field>
        </Fields>
      </Section>
      <Section title={t('assistants.model')}>
        <Fields>
          <PickCard
            label={t('assistants.pickModel')}
            help={t('assistants.modelHelp')}
            cards={models.data}
            failure={models.error?.message ?? null}
            picked={values.model}
            onPick={(model) => set({ model })}
            readOnly={readOnly}
            Settings={parts.CardSettings}
          />
        </Fields>
      </Section>
      <Stores stores={values.stores} readOnly={readOnly} onChange={(stores) => set({ stores })} />
      <Tools tools={values.tools} readOnly={readOnly} parts={parts} onChange={(tools) => set({ tools })} />
      <p className="note">
        {t('assistants.more')}{' '}
        <Link href={`/flows/${flow.id}/settings`} className={css.link}>
          {t('assistants.toSettings')}
        </Link>
      </p>
      {writing && (
        <WriteInstructions
          model={values.model}
          replaces={values.instruction.trim() !== ''}
          onClose={() => setWriting(false)}
          onWritten={(instruction) => set({ instruction })}
        />
      )}
    </div>
  );
}

/** Why what is typed was not saved, and what can be done. */
function Notices({ edited }: { edited: Edited }): ReactNode {
  const { failure, theirs, keepMine, drop, save } = edited;
  if (theirs)
    return (
      <Banner
        tone="danger"
        title={t('assistants.conflict')}
        actions={
          <>
            <Button size="compact" onClick={drop}>
              {t('assistants.takeTheirs')}
            </Button>
            <Button size="compact" onClick={() => void keepMine()}>
              {t('assistants.keepMine')}
            </Button>
          </>
        }
      >
        {t('assistants.conflictText')}
      </Banner>
    );
  if (failure === null) return null;
  return (
    <Banner
      tone="danger"
      title={t('assistants.notSaved')}
      actions={
        <Button size="compact" onClick={() => void save()}>
          {t('kit.retry')}
        </Button>
      }
    >
      {failure}
    </Banner>
  );
}

/** What keeps what is saved from answering. */
function Problems({ flow }: { flow: Flow }): ReactNode {
  const found = useProblems(flow.id, flow.updatedDate).data ?? [];
  if (found.length === 0) return null;
  return (
    <Banner tone="warning" title={t('assistants.problems')}>
      <ul className={css.problems}>
        {found.flatMap(({ id, label, issues }) =>
          issues.map((issue) => (
            <li key={`${id} ${issue}`}>
              {label}: {issue}
            </li>
          )),
        )}
      </ul>
    </Banner>
  );
}
