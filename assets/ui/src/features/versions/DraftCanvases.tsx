import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Canvases, type CanvasesProps } from './Canvases';
import css from './Versions.module.css';

/** Live and the draft, for where a draft is looked at before it is published. */
export default function DraftCanvases(props: Omit<CanvasesProps, 'names'>): ReactNode {
  return (
    <div className={css.framed}>
      <Canvases {...props} names={{ before: t('versions.now'), after: t('versions.draft') }} />
    </div>
  );
}
