import { FlaskConical, Rocket } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEnvironment } from '../api/environment';
import { t } from '../i18n';
import { Badge } from '../ui';

/** Says on every page which server this is, once it is labelled Dev or Prod. */
export function EnvironmentBadge(): ReactNode {
  const environment = useEnvironment();
  if (!environment) return null;
  return environment === 'prod' ? (
    <Badge tone="danger" icon={Rocket}>
      {t('app.prod')}
    </Badge>
  ) : (
    <Badge tone="info" icon={FlaskConical}>
      {t('app.dev')}
    </Badge>
  );
}
