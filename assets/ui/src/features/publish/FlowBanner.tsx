import type { ReactNode } from 'react';
import type { DraftStatus, Flow } from '../../api/models';
import { useRestored } from '../../api/versions';
import { Banner, Button } from '../../ui';
import css from './Publish.module.css';
import { fixes } from './problems';
import { t } from './words';

export interface FlowBannerProps {
  flow: Flow;
  status: DraftStatus;
  goToNode: (id: string) => void;
}

/** Below the header: what to put right after a version was put back. */
export function FlowBanner({ flow, goToNode }: FlowBannerProps): ReactNode {
  const [restored, dismiss] = useRestored(flow.id);
  const list = restored ? fixes(restored) : [];
  if (!restored || list.length === 0) return null;
  return (
    <div className={css.banner}>
      <Banner
        tone="warning"
        title={t(restored.restoredTo === 'draft' ? 'publish.fixTitleDraft' : 'publish.fixTitleLive')}
        onClose={dismiss}
      >
        <ul className={css.problems}>
          {list.map(({ text, node }) => (
            <li key={text}>
              {text}{' '}
              {node && (
                <Button size="compact" onClick={() => goToNode(node)}>
                  {t('publish.fix')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </Banner>
    </div>
  );
}
