import { Globe, Share2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useShareExecution, type Execution } from '../../api/executions';
import { serviceAddress } from '../../core/base';
import { Badge, Banner, Button, CopyButton, Field, Input, Popover, Switch } from '../../ui';
import css from './Executions.module.css';
import { t } from './words';

export interface ShareProps {
  execution: Execution;
  mayChange: boolean;
}

/** The public link of a record: made, copied, taken back. Who may not change it sees that there is one. */
export function Share({ execution, mayChange }: ShareProps): ReactNode {
  const share = useShareExecution(execution.id);
  const link = `${serviceAddress()}/execution/${execution.id}`;
  const on = execution.isPublic;
  if (!mayChange) return on && <Badge icon={Globe}>{t('executions.publicBadge')}</Badge>;
  return (
    <Popover
      label={t('executions.publicLink')}
      align="end"
      width={340}
      trigger={
        <Button icon={on ? Globe : Share2} aria-haspopup="dialog">
          {t(on ? 'executions.publicBadge' : 'executions.share')}
        </Button>
      }
    >
      <div className={css.share}>
        <Switch
          spread
          label={t('executions.publicLink')}
          help={t('executions.publicHelp')}
          checked={on}
          disabled={share.isPending}
          onChange={(next) => share.mutate(next)}
        />
        {on ? (
          <>
            <Field label={t('executions.public')}>
              <Input readOnly value={link} onFocus={(event) => event.target.select()} />
            </Field>
            <CopyButton text={link} label={t('executions.copyLink')} words />
          </>
        ) : (
          <p className="note">{t('executions.private')}</p>
        )}
        {share.error && <Banner tone="danger">{share.error.message}</Banner>}
      </div>
    </Popover>
  );
}
