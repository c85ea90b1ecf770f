import { useMemo, useState, type ReactNode } from 'react';
import { useForgetSecret, useNewSecret } from '../../api/webhooks';
import { serviceAddress } from '../../core/base';
import type { Flow } from '../../api/models';
import type { Json } from '../../core/nodes';
import { startInputs, startKind } from '../../core/start';
import { Badge, Banner, Button, ConfirmDialog, CopyButton, OnceDialog } from '../../ui';
import { Snippet } from '../../ui/Snippet';
import { callOf, curl, type Param, type WebhookCall } from './call';
import { Listener } from './Listener';
import css from './Webhook.module.css';
import { t } from './words';

export interface WebhookPanelProps {
  /** The flow as it is Live. */
  flow: Flow;
  /** What the Start card is set to on the canvas that is drawn. */
  inputs: Json;
  mayEdit: boolean;
}

/** How a flow is called from elsewhere: its address, the secret, a call to paste, and what comes in. */
export default function WebhookPanel({ flow, inputs, mayEdit }: WebhookPanelProps): ReactNode {
  const live = useMemo(() => startInputs(flow.flowData), [flow.flowData]);
  const isLive = startKind(live) === 'webhookTrigger';
  const drawn = useMemo(() => callOf(inputs), [inputs]);
  const call = useMemo(() => (isLive && live ? callOf(live) : drawn), [isLive, live, drawn]);
  const differs = isLive && JSON.stringify(call) !== JSON.stringify(drawn);
  const address = `${serviceAddress()}/api/v1/webhook/${flow.id}`;
  const needsKey = Boolean(flow.apikeyid);
  return (
    <section className={css.webhook} aria-label={t('starts.title')}>
      <h3>{t('starts.title')}</h3>
      {!isLive && <Banner tone="warning">{t('starts.unpublished')}</Banner>}
      {differs && <Banner tone="info">{t('starts.published')}</Banner>}
      <div className={css.address}>
        <code>{address}</code>
        <CopyButton text={address} label={t('starts.copyAddress')} />
      </div>
      <Facts call={call} />
      {(call.proof ?? drawn.proof) && <Secret flow={flow} mayEdit={mayEdit} />}
      <Snippet label={t('starts.curl')} text={curl(call, address, needsKey)} copy={t('starts.copyCurl')} />
      {call.proof && <p className="note">{t('starts.useSecret')}</p>}
      {needsKey && <p className="note">{t('starts.key')}</p>}
      {mayEdit && <Listener flow={flow.id} />}
    </section>
  );
}

function Facts({ call }: { call: WebhookCall }): ReactNode {
  const params = [
    ...call.headers.map((one) => ({ ...one, place: t('starts.inHeader') })),
    ...call.query.map((one) => ({ ...one, place: t('starts.inQuery') })),
    ...call.body.map((one) => ({ ...one, place: t('starts.inBody') })),
  ];
  return (
    <dl className={css.facts}>
      <dt>{t('starts.method')}</dt>
      <dd>
        <code>{call.method}</code>
      </dd>
      {call.method !== 'GET' && (
        <>
          <dt>{t('starts.type')}</dt>
          <dd>
            <code>{call.contentType}</code>
          </dd>
        </>
      )}
      <dt>{t('starts.answer')}</dt>
      <dd>{t(`starts.answer.${call.answer}`)}</dd>
      {call.proof && (
        <>
          <dt>{t('starts.signed')}</dt>
          <dd>
            <code>{call.proof.header}</code>
          </dd>
        </>
      )}
      {params.length > 0 && (
        <>
          <dt>{t('starts.params')}</dt>
          <dd>
            <ul className={css.params}>
              {params.map((one) => (
                <Declared key={`${one.place} ${one.name}`} param={one} place={one.place} />
              ))}
            </ul>
          </dd>
        </>
      )}
    </dl>
  );
}

function Declared({ param, place }: { param: Param; place: string }): ReactNode {
  return (
    <li>
      <code>{param.name}</code>
      <span className="note">
        {place} · {param.type}
      </span>
      {param.required && <Badge>{t('starts.required')}</Badge>}
    </li>
  );
}

function Secret({ flow, mayEdit }: { flow: Flow; mayEdit: boolean }): ReactNode {
  const made = useNewSecret(flow.id);
  const forgotten = useForgetSecret(flow.id);
  const [asking, setAsking] = useState<'renew' | 'forget' | null>(null);
  const has = flow.webhookSecretConfigured;
  const failure = made.error ?? forgotten.error;
  const close = (): void => setAsking(null);
  return (
    <div className={css.secret} role="group" aria-label={t('starts.secret')}>
      <p className={has ? 'note' : undefined}>{t(has ? 'starts.secretSet' : 'starts.noSecret')}</p>
      {mayEdit && (
        <div className={css.buttons}>
          <Button
            size="compact"
            busy={made.isPending}
            onClick={() => (has ? setAsking('renew') : made.mutate())}
          >
            {t(has ? 'starts.renew' : 'starts.makeSecret')}
          </Button>
          {has && (
            <Button size="compact" variant="danger" onClick={() => setAsking('forget')}>
              {t('starts.forget')}
            </Button>
          )}
        </div>
      )}
      {failure && <Banner tone="danger">{failure.message}</Banner>}
      <ConfirmDialog
        open={asking !== null}
        title={t(asking === 'forget' ? 'starts.forgetSure' : 'starts.renewSure')}
        confirm={t(asking === 'forget' ? 'starts.forgetSure' : 'starts.renewSure')}
        busy={made.isPending || forgotten.isPending}
        onClose={close}
        onConfirm={() => {
          const done = { onSettled: close };
          if (asking === 'forget') forgotten.mutate(undefined, done);
          else made.mutate(undefined, done);
        }}
      >
        {t(asking === 'forget' ? 'starts.forgetText' : 'starts.renewText')}
      </ConfirmDialog>
      {made.data && (
        <OnceDialog
          title={t('starts.secretTitle')}
          text={t('starts.secretText')}
          label={t('starts.secret')}
          value={made.data}
          copy={t('starts.copySecret')}
          stored={t('starts.stored')}
          onDone={made.reset}
        />
      )}
    </div>
  );
}
