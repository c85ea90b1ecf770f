import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { whenSignedOut } from '../api/client';
import { cached } from '../api/keys';
import { queryClient } from '../api/queryClient';
import { Toaster, TooltipProvider } from '../ui';
import css from './App.module.css';
import { AwayNotice } from './AwayNotice';
import { ErrorBoundary } from './ErrorBoundary';
import { LeaveGuard } from './LeaveGuard';
import { NewVersionBanner } from './NewVersionBanner';
import { Screens } from './Screens';

export function App(): ReactNode {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
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
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

/** A refused call means that the session ended: the person signs in and comes back to the same address. */
function SignedOut(): null {
  const client = useQueryClient();
  useEffect(() => {
    whenSignedOut(() => client.setQueryData(cached.me, null));
  }, [client]);
  return null;
}
