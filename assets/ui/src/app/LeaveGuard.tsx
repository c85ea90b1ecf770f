import { useState, type ReactNode } from 'react';
import { Router, type AroundNavHandler } from 'wouter';
import { basePath, withoutBase } from '../core/base';
import { losesEdits } from '../core/unsaved';
import { t } from '../i18n';
import { ConfirmDialog } from '../ui';

/** Asks before a link inside the app leaves edits behind that are not saved. */
export function LeaveGuard({ children }: { children: ReactNode }): ReactNode {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const around: AroundNavHandler = (navigate, to, options) => {
    const go = (): void => navigate(to, options);
    if (losesEdits(withoutBase(to))) setLeave(() => go);
    else go();
  };
  return (
    <Router base={basePath} aroundNav={around}>
      {children}
      <ConfirmDialog
        open={leave !== null}
        onClose={() => setLeave(null)}
        onConfirm={() => {
          setLeave(null);
          leave?.();
        }}
        title={t('app.leaveTitle')}
        confirm={t('kit.discard')}
      >
        {t('app.leaveText')}
      </ConfirmDialog>
    </Router>
  );
}
