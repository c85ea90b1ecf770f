import { useQuery } from '@tanstack/react-query';
import { LinkIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ApiError } from '../../api/client';
import { readLink } from '../../api/me';
import type { LinkInfo } from '../../api/models';
import { t } from '../../i18n';
import { Button, EmptyState, ErrorState, Skeleton } from '../../ui';
import { AuthFrame } from './AuthFrame';

export interface LinkPageProps {
  title: string;
  kind: LinkInfo['kind'];
  text: (info: LinkInfo) => string;
  children: (token: string, info: LinkInfo) => ReactNode;
}

/** A page behind a link with a token: greets, or says that the link is dead. */
export function LinkPage({ title, kind, text, children }: LinkPageProps): ReactNode {
  const [search] = useSearchParams();
  const token = search.get('token') ?? '';
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => readLink(token),
    staleTime: Infinity,
    retry: false,
  });
  if (link.data?.kind === kind) {
    return (
      <AuthFrame title={title} text={text(link.data)}>
        {children(token, link.data)}
      </AuthFrame>
    );
  }
  const dead =
    link.data || (link.error instanceof ApiError && link.error.status >= 400 && link.error.status < 429);
  return (
    <AuthFrame title={title}>
      {dead ? (
        <EmptyState
          icon={LinkIcon}
          title={t('auth.deadLink')}
          actions={
            <Button asChild>
              <Link href="/sign-in">{t('auth.backToSignIn')}</Link>
            </Button>
          }
        >
          {t('auth.deadLinkText')}
        </EmptyState>
      ) : link.error ? (
        <ErrorState message={link.error.message} onRetry={() => void link.refetch()} />
      ) : (
        <Skeleton lines={4} height={20} />
      )}
    </AuthFrame>
  );
}
