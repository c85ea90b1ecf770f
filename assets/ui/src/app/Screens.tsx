import { Fragment, Suspense, useEffect, type ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { ApiError, NO_ANSWER } from '../api/client';
import { scopeOf, useMe, useNeedsOwner } from '../api/me';
import { ErrorState, later } from '../ui';
import { ErrorBoundary } from './ErrorBoundary';
import { NotFound } from './NotFound';
import { routes, type AppRoute } from './routes';
import { Splash } from './Splash';

// Who signs in sees neither sidebar nor menus.
const Shell = later(() => import('./Shell'), <Splash />);

/** Chooses between the screens, and between those who are signed in and those who are not. */
export function Screens(): ReactNode {
  return (
    <Switch>
      {routes.map((route) => (
        <Route key={route.path} path={route.path}>
          {(params) => <ScreenFrame route={route} params={params as Record<string, string | undefined>} />}
        </Route>
      ))}
      <Route>
        <SignInGuard>
          <Shell>
            <NotFound />
          </Shell>
        </SignInGuard>
      </Route>
    </Switch>
  );
}

function ScreenFrame({
  route,
  params,
}: {
  route: AppRoute;
  params: Record<string, string | undefined>;
}): ReactNode {
  const screen = (
    <ErrorBoundary key={route.path}>
      <Suspense fallback={<Splash />}>
        <route.screen params={params} />
      </Suspense>
    </ErrorBoundary>
  );
  if (route.frame === 'bare') return screen;
  return (
    <SignInGuard>
      <Framed route={route}>{screen}</Framed>
    </SignInGuard>
  );
}

/** The frame, and the screen in it, which comes at the same time. */
function Framed({ route, children }: { route: AppRoute; children: ReactNode }): ReactNode {
  useEffect(() => {
    // A screen that cannot be loaded says so in its place.
    route.load().catch(() => undefined);
  }, [route]);
  return <Shell full={route.frame === 'full'}>{children}</Shell>;
}

/** Only for people who are signed in; others go to sign-in, or to the first start, and come back. */
function SignInGuard({ children }: { children: ReactNode }): ReactNode {
  const [path] = useLocation();
  const search = useSearch();
  const me = useMe();
  const start = useNeedsOwner(me.data === null);
  // Another person or workspace is another page: nothing drawn for the one before stays.
  if (me.data) return <Fragment key={scopeOf(me.data)}>{children}</Fragment>;
  const failed = me.error ?? start.error;
  // Who is there is asked again as soon as the service answers.
  if (failed instanceof ApiError && failed.status === NO_ANSWER) return <Splash />;
  if (failed)
    return (
      <ErrorState message={failed.message} onRetry={() => void (me.error ? me.refetch() : start.refetch())} />
    );
  if (me.data === undefined || start.data === undefined) return <Splash />;
  if (start.data) return <Redirect to="/setup" replace />;
  const here = search ? `${path}?${search}` : path;
  return <Redirect to={here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`} replace />;
}
