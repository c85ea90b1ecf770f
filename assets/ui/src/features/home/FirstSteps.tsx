import { CircleCheck, Circle } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useConversations } from '../../api/conversations';
import { useCredentials } from '../../api/credentials';
import { useCan } from '../../api/me';
import type { FlowSummary } from '../../api/models';
import { useStores } from '../../api/stores';
import { Section } from '../../ui';
import css from './Home.module.css';
import { recent } from './overview';
import { t } from './words';

interface Step {
  id: string;
  text: string;
  help: string;
  to: string;
  done: boolean;
}

/** The way from an empty server to a flow that others ask; it goes once it was gone. */
export function FirstSteps({ flows }: { flows: readonly FlowSummary[] }): ReactNode {
  const can = useCan();
  const any = flows.length > 0;
  const asked = useConversations({}, '', 1, any).data?.data.length ?? 0;
  const outside = useConversations({ chatType: ['EXTERNAL'] }, '', 1, any).data?.data.length ?? 0;
  const credentials = useCredentials(can('credentials:view')).data;
  const stores = useStores(can('documentStores:view')).data;
  const newest = recent(flows, 1)[0];
  const flow = newest ? `/flows/${newest.id}` : '/templates';
  const published = flows.some(({ state }) => state.hasLive || state.lastPublished);
  const steps: Step[] = [
    { id: 'flow', to: can('templates:marketplace') ? '/templates' : '/', done: flows.length > 0 },
    { id: 'model', to: '/credentials', done: (credentials?.length ?? 0) > 0 },
    { id: 'ask', to: flow, done: asked > 0 },
    { id: 'publish', to: flow, done: published },
    { id: 'embed', to: flow, done: outside > 0 },
    { id: 'knowledge', to: '/knowledge', done: (stores?.length ?? 0) > 0 },
  ].map((step) => ({
    ...step,
    text: t(`home.step.${step.id}` as 'home.step.ask'),
    help: t(`home.stepHelp.${step.id}` as 'home.stepHelp.ask'),
  }));
  const done = steps.filter((step) => step.done).length;
  if (!can('chatflows:create', 'agentflows:create') || (published && outside > 0)) return null;
  return (
    <Section
      title={t('home.first')}
      description={t('home.firstDone', { done: String(done), all: String(steps.length) })}
    >
      <ol className={css.steps}>
        {steps.map((step) => (
          <li key={step.id}>
            {step.done ? (
              <CircleCheck size={18} aria-hidden className={css.good} />
            ) : (
              <Circle size={18} aria-hidden className={css.waits} />
            )}
            <span className={css.step}>
              <Link href={step.to} className={css.link}>
                {step.text}
              </Link>
              {step.done && <span className="sr-only"> ({t('home.done')})</span>}
              <span className="note">{step.help}</span>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
