import { ArrowUpFromLine, ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCopyStatus } from '../../api/gitcopy';
import { useMe } from '../../api/me';
import { t } from '../../i18n';
import { Badge, CopyButton } from '../../ui';
import css from './Versions.module.css';

/** Which version of Dev was promoted. Who may know the repository is led to it there. */
export function PromotedFrom({ sha }: { sha: string }): ReactNode {
  const isOwner = Boolean(useMe().data?.isOrganizationAdmin);
  const url = useCopyStatus(isOwner).data?.url ?? null;
  const id = sha.slice(0, 7);
  const words = t('versions.promotedFrom', { id });
  return (
    <span className={css.id}>
      <Badge tone="info" icon={ArrowUpFromLine}>
        {url !== null && /^https?:\/\//.test(url) ? (
          <a href={`${url}/commit/${sha}`} target="_blank" rel="noopener" className={css.from}>
            {words} <ExternalLink size={12} aria-hidden />
          </a>
        ) : (
          words
        )}
      </Badge>
      <CopyButton text={sha} label={t('versions.copyId', { id })} />
    </span>
  );
}
