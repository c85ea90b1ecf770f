import { LockKeyhole, Rocket, SearchX } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { useMe } from '../../api/me';
import { useIncomingFlow, usePromote, type IncomingFlow, type PromoteResult } from '../../api/promotion';
import { t } from '../../i18n';
import {
  BackLink,
  Banner,
  Button,
  EmptyState,
  Loaded,
  Page,
  PageHeader,
  Tabs,
  useAddress,
  useUnsaved,
} from '../../ui';
import { Changes } from './Changes';
import { ConfirmPromote } from './ConfirmPromote';
import { Credentials } from './Credentials';
import { Facts } from './Facts';
import { Outcome } from './Outcome';
import type { PromoteParts } from './parts';
import css from './Promote.module.css';
import { Warnings } from './Warnings';
import './words';

export interface PromoteFlowProps {
  id: string;
  parts: PromoteParts;
}

/** One version from Dev: all that is to be known before it becomes Live here, and the way there. */
export function PromoteFlow({ id, parts }: PromoteFlowProps): ReactNode {
  const isOwner = Boolean(useMe().data?.isOrganizationAdmin);
  const [result, setResult] = useState<PromoteResult | null>(null);
  const flow = useIncomingFlow(id, isOwner && result === null);
  const promote = usePromote(id);
  if (!isOwner) {
    return (
      <Shown title={t('promote.title')}>
        <EmptyState icon={LockKeyhole} title={t('promote.ownerOnly')}>
          {t('promote.ownerOnlyText')}
        </EmptyState>
      </Shown>
    );
  }
  if (result) {
    return (
      <Shown title={result.chatflow.name}>
        <Outcome result={result} />
      </Shown>
    );
  }
  if (flow.error instanceof ApiError && flow.error.status === 404) {
    return (
      <Shown title={t('promote.title')}>
        {promote.error && <Banner tone="danger" title={promote.error.message} />}
        <EmptyState icon={SearchX} title={t('promote.gone')}>
          {t('promote.goneText')}
        </EmptyState>
      </Shown>
    );
  }
  return (
    <Loaded query={flow}>
      {(data) => (
        <Offer
          flow={data}
          promote={promote}
          parts={parts}
          reload={async () => (await flow.refetch()).data ?? null}
          onDone={setResult}
        />
      )}
    </Loaded>
  );
}

/** The frame of the page in all of its states. */
function Shown(props: { title: string; actions?: ReactNode; children: ReactNode }): ReactNode {
  return (
    <Page>
      <BackLink href="/promote">{t('promote.back')}</BackLink>
      <PageHeader title={props.title} actions={props.actions} />
      {props.children}
    </Page>
  );
}

type TabName = 'changes' | 'check';

interface OfferProps {
  flow: IncomingFlow;
  promote: ReturnType<typeof usePromote>;
  parts: PromoteParts;
  /** Reads anew what is offered. */
  reload: () => Promise<IncomingFlow | null>;
  onDone: (result: PromoteResult) => void;
}

function Offer({ flow, promote, parts, reload, onDone }: OfferProps): ReactNode {
  const { flowId, name, version, missingCredentials, checkUnavailable } = flow;
  // What the person has seen: whatever is shown in its place later is said to be new.
  const [seen, setSeen] = useState(flow);
  const [asked, ask] = useState<IncomingFlow | null>(null);
  const [selected, select] = useState<string | null>(null);
  const [typed, setTyped] = useState(false);
  const { read, put } = useAddress();
  const tab: TabName = read('tab') === 'check' && checkUnavailable === null ? 'check' : 'changes';
  useUnsaved(typed, `/promote/${flowId}`);
  const see = (node: string): void => {
    put({ tab: '' });
    select(node);
  };
  const blocked = missingCredentials.length > 0;
  const close = (): void => ask(null);
  return (
    <Shown
      title={name}
      actions={
        <Button
          variant="primary"
          icon={Rocket}
          disabled={blocked}
          aria-describedby={blocked ? 'promote-missing' : undefined}
          onClick={() => {
            promote.reset();
            ask(flow);
          }}
        >
          {t('promote.promote')}
        </Button>
      }
    >
      <Moved
        flow={flow}
        seen={seen}
        refusal={asked ? null : (promote.error?.message ?? null)}
        onSeen={() => {
          promote.reset();
          setSeen(flow);
        }}
      />
      <Facts flow={flow} />
      <Credentials
        flow={flow}
        NewCredential={parts.NewCredential}
        onMade={() => void reload().then((now) => now && setSeen(now))}
      />
      <Warnings flow={flow} onNode={see} />
      <Tabs<TabName>
        label={t('promote.tabs')}
        value={tab}
        onChange={(next) => put({ tab: next === 'check' ? next : '' })}
        panelClassName={css.panel ?? ''}
        tabs={[
          { value: 'changes', label: t('promote.tab.changes') },
          ...(checkUnavailable ? [] : [{ value: 'check' as const, label: t('promote.tab.check') }]),
        ]}
      >
        {tab === 'check' ? (
          <parts.Check flow={flowId} goToNode={see} onTyped={setTyped} />
        ) : (
          <>
            {checkUnavailable ? (
              <Banner title={t('promote.checkUnavailable')}>{checkUnavailable.message}</Banner>
            ) : (
              // Of another version it is told anew.
              <parts.CheckLine key={version.sha} flow={flowId} onOpen={() => put({ tab: 'check' })} />
            )}
            <Changes flow={flow} parts={parts} selected={selected} onSelect={select} />
          </>
        )}
      </Tabs>
      {asked && (
        <ConfirmPromote
          flow={asked}
          busy={promote.isPending}
          onConfirm={() => promote.mutate(asked, { onSuccess: onDone, onError: close })}
          onClose={close}
        />
      )}
    </Shown>
  );
}

interface MovedProps {
  flow: IncomingFlow;
  seen: IncomingFlow;
  /** What the service said to the last try. */
  refusal: string | null;
  onSeen: () => void;
}

/** Says what is not as it was when the person looked, and why a try was refused. */
function Moved({ flow, seen, refusal, onSeen }: MovedProps): ReactNode {
  const newer = flow.version.sha !== seen.version.sha;
  if (flow.digest === seen.digest) {
    return refusal === null ? null : (
      <Banner tone="danger" title={t('promote.refused')}>
        {refusal}
      </Banner>
    );
  }
  return (
    <Banner tone="warning" title={t(newer ? 'promote.changedNewer' : 'promote.changed')} onClose={onSeen}>
      {refusal !== null && <p>{refusal}</p>}
      <p>{newer ? t('promote.changedNewerText', { id: flow.version.shortSha }) : t('promote.changedText')}</p>
    </Banner>
  );
}
