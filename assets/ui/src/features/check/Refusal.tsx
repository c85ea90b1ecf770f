import type { ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { Banner } from '../../ui';
import { t } from './words';

/** What the service refused, in its own words, and when it takes another try. */
export function Refusal({ error }: { error: Error | null }): ReactNode {
  if (!error) return null;
  const wait = error instanceof ApiError ? error.retryAfter : null;
  return (
    <Banner tone="danger" title={error.message}>
      {wait ? t('check.waitFor', { seconds: wait }) : null}
    </Banner>
  );
}
