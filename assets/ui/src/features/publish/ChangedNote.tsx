import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNameOf } from '../../api/people';
import type { DraftStatus } from '../../api/models';
import { relativeTime } from '../../core/format';
import { Banner, Button } from '../../ui';
import { t } from './words';

export interface ChangedNoteProps {
  /** The draft as it is by now; null where it is gone. */
  draft: DraftStatus['draft'];
  onLook: () => void;
}

/** The draft is another one than the person looked at: nothing is published before they look again. */
export function ChangedNote({ draft, onLook }: ChangedNoteProps): ReactNode {
  const name = useNameOf(draft?.updatedBy ?? null);
  const time = draft && relativeTime(draft.updatedDate);
  const saved = time && (name ? t('publish.movedBy', { name, time }) : t('publish.movedAt', { time }));
  return (
    <Banner
      tone="danger"
      title={t(draft ? 'publish.moved' : 'publish.gone')}
      actions={
        <Button size="compact" icon={RotateCw} onClick={onLook}>
          {t('publish.look')}
        </Button>
      }
    >
      {saved} {t('publish.movedText')}
    </Banner>
  );
}
