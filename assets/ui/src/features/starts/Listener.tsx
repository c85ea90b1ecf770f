import { Radio, Square } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { exactTime } from '../../core/format';
import { stepsOf } from '../../core/run';
import { Banner, Button, Spinner } from '../../ui';
import { RunSteps } from '../../ui/run/RunSteps';
import { Snippet } from '../../ui/Snippet';
import { broughtBy, useListener, type HeardCall } from './useListener';
import css from './Webhook.module.css';
import { t } from './words';

/** Waits for calls, and shows each with what it starts. */
export function Listener({ flow }: { flow: string }): ReactNode {
  const { state, calls, failure, start, stop } = useListener(flow);
  return (
    <div className={css.listener}>
      <div className={css.buttons}>
        {state === 'off' ? (
          <Button size="compact" icon={Radio} onClick={start}>
            {t('starts.listen')}
          </Button>
        ) : (
          <Button size="compact" icon={Square} onClick={stop}>
            {t('starts.stop')}
          </Button>
        )}
        <span role="status" className={css.waits}>
          {state === 'opening' && t('starts.opening')}
          {state === 'on' && (
            <>
              <Spinner />
              {t('starts.listening')}
            </>
          )}
        </span>
      </div>
      {state === 'off' && calls.length === 0 && <p className="note">{t('starts.listenText')}</p>}
      {failure && <Banner tone="danger">{failure}</Banner>}
      {calls.map((call) => (
        <Heard key={call.key} call={call} />
      ))}
    </div>
  );
}

const nothing = {};

function Heard({ call }: { call: HeardCall }): ReactNode {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const brought = broughtBy(call);
  const title = t('starts.call', { time: exactTime(new Date(call.at).toISOString()) });
  return (
    <section className={css.call} aria-label={title}>
      <h4>{title}</h4>
      {brought && (
        <Snippet
          label={t('starts.brought')}
          text={JSON.stringify(brought, null, 2)}
          copy={t('starts.copyBrought')}
        />
      )}
      <RunSteps
        steps={stepsOf(call.run, call.over)}
        opened={opened}
        onOpen={(key, on) =>
          setOpened((now) => {
            const next = new Set(now);
            if (on) next.add(key);
            else next.delete(key);
            return next;
          })
        }
        actions={nothing}
      />
      {call.answer !== '' && <Snippet label={t('starts.said')} text={call.answer} copy={t('kit.copy')} />}
    </section>
  );
}
