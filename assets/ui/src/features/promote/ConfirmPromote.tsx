import { useMemo, useState, type ReactNode } from 'react';
import type { IncomingFlow } from '../../api/promotion';
import { t } from '../../i18n';
import { Checkbox, ConfirmDialog } from '../../ui';
import css from './Promote.module.css';
import { cardNames, toConfirm } from './warnings';

export interface ConfirmPromoteProps {
  /** As it was shown when the person decided. */
  flow: IncomingFlow;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** What Live becomes, and each thing that will fail ticked by hand. */
export function ConfirmPromote({ flow, busy, onConfirm, onClose }: ConfirmPromoteProps): ReactNode {
  const { name, version, status, hasDraft, warnings, flowData } = flow;
  const blocking = toConfirm(warnings);
  const names = useMemo(() => cardNames(flowData), [flowData]);
  const told = ({ message, node }: (typeof blocking)[number]): string => {
    const card = node && names.get(node);
    return card && !message.includes(card) ? t('promote.warningOf', { message, card }) : message;
  };
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const tick = (at: number, on: boolean): void => {
    const next = new Set(ticked);
    if (on) next.add(at);
    else next.delete(at);
    setTicked(next);
  };
  return (
    <ConfirmDialog
      open
      title={t('promote.confirmTitle', { name })}
      confirm={t('promote.promote')}
      busy={busy}
      disabled={ticked.size < blocking.length}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        {t(status === 'new' ? 'promote.confirmNew' : 'promote.confirmText', {
          id: version.shortSha,
          title: version.title,
        })}
      </p>
      {hasDraft && <p>{t('promote.confirmDraft')}</p>}
      {blocking.length > 0 && (
        <div className={css.blocking}>
          <p className={css.strong}>{t('promote.confirmBlocking', { count: blocking.length })}</p>
          {blocking.map((warning, at) => (
            <Checkbox
              key={at}
              checked={ticked.has(at)}
              onChange={(on) => tick(at, on)}
              label={told(warning)}
              disabled={busy}
            />
          ))}
        </div>
      )}
    </ConfirmDialog>
  );
}
