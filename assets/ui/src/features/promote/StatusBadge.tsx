import { ArrowUpFromLine, Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import type { IncomingEntry } from '../../api/promotion';
import { t } from '../../i18n';
import { Badge } from '../../ui';

/** Whether the flow is here already. */
export const StatusBadge = ({ status }: Pick<IncomingEntry, 'status'>): ReactNode =>
  status === 'new' ? (
    <Badge tone="accent" icon={Sparkles}>
      {t('promote.new')}
    </Badge>
  ) : (
    <Badge tone="info" icon={ArrowUpFromLine}>
      {t('promote.update')}
    </Badge>
  );
