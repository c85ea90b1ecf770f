import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { Fragment, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { whenSignedOut } from '../api/client';
import { cached } from '../api/keys';
import { queryClient } from '../api/queryClient';
import { holdsEdits, sendHeld } from '../core/unsaved';
import { shownLanguage, subscribeLanguage } from '../i18n/language';
import { DirectionProvider, later, Toaster, TooltipProvider } from '../ui';
import css from './App.module.css';
import { AwayNotice } from './AwayNotice';
import { ErrorBoundary } from './ErrorBoundary';
import { LeaveGuard } from './LeaveGuard';
import { NewVersionBanner } from './NewVersionBanner';
import { Screens } from './Screens';

const SignInHere = later(() => import('./SignInHere'), null);

export function App(): ReactNode {
  // In another language everything is drawn anew; what was read from the service stays.
  const language = useSyncExternalStore(subscribeLanguage, shownLanguage);
  return (
    <Fragment key={language}>
      <Page />
    </Fragment>
  );
}

function Page(): ReactNode {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <DirectionProvider>
          <TooltipProvider>
            <SignedOut />
            <LeaveGuard>
              <div className={css.app}>
                <AwayNotice />
                <div className={css.screen}>
                  <Screens />
                </div>
              </div>
            </LeaveGuard>
            <NewVersionBanner />
            <Toaster />
          </TooltipProvider>
        </DirectionProvider>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

/**
 * A refused call means that the session ended: the person signs in and comes back to the same address, or signs in over a
 * page that holds edits.
 */
function SignedOut(): ReactNode {
  const client = useQueryClient();
  const [here, setHere] = useState(false);
  useEffect(() => {
    whenSignedOut(() => {
      if (holdsEdits()) setHere(true);
      else client.setQueryData(cached.me, null);
    });
  }, [client]);
  if (!here) return null;
  return (
    <SignInHere
      onDone={(same) => {
        setHere(false);
        if (same) void sendHeld();
      }}
      onLeave={() => {
        setHere(false);
        client.setQueryData(cached.me, null);
      }}
    />
  );
}
