import { FlaskConical, Rocket } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEnvironment } from '../api/environment';
import { t } from '../i18n';
import { Badge } from '../ui';

/** Says on every page which server this is, once it is labelled Dev or Prod. */
export function EnvironmentBadge({ className = '' }: { className?: string | undefined }): ReactNode {
  const environment = useEnvironment();
  if (!environment) return null;
  const name = t(environment === 'prod' ? 'app.prod' : 'app.dev');
  return (
    <Badge
      tone={environment === 'prod' ? 'danger' : 'info'}
      icon={environment === 'prod' ? Rocket : FlaskConical}
      className={className}
      title={t('app.serverIs', { name })}
    >
      {name}
    </Badge>
  );
}
