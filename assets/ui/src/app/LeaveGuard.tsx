import { useEffect, useState, type ReactNode } from 'react';
import { Router, type AroundNavHandler } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { basePath, withoutBase } from '../core/base';
import { losesEdits, sendHeld } from '../core/unsaved';
import { t } from '../i18n';
import { ConfirmDialog } from '../ui';

/** Asks before a link inside the app, or the browser's Back, leaves edits behind that are not saved. */
export function LeaveGuard({ children }: { children: ReactNode }): ReactNode {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const around: AroundNavHandler = (navigate, to, options) => {
    const go = (): void => navigate(to, options);
    if (losesEdits(withoutBase(to))) setLeave(() => go);
    else go();
  };
  useEffect(() => {
    ask = (go) => setLeave(() => go);
    return () => {
      ask = null;
    };
  }, []);
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

/** Asks what becomes of the edits; what it is given goes to the address that was meant. */
let ask: ((leave: () => void) => void) | null = null;
let here = location.href;

/** Goes on once what the page holds is sent. What cannot be sent is given up only when the person says so. */
export async function giveUpEdits(go: () => void): Promise<void> {
  if ((await sendHeld()) || !ask) go();
  else ask(go);
}

const note = (): void => {
  here = location.href;
};

/**
 * Back and Forward have happened when the page hears of them: it goes to where it was again, and asks. Nothing else hears
 * of it meanwhile, so that what is on screen stays; the router would, if this listened later than it.
 */
function onPop(event: PopStateEvent): void {
  const to = location.pathname + location.search;
  if (!ask || !losesEdits(withoutBase(to))) return note();
  event.stopImmediatePropagation();
  history.pushState(null, '', here);
  ask(() => navigate(to));
}

addEventListener('popstate', onPop);
addEventListener('pushState', note);
addEventListener('replaceState', note);
