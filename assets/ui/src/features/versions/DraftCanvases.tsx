import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Canvases, type CanvasesProps } from './Canvases';
import css from './Versions.module.css';

export interface DraftCanvasesProps extends Omit<CanvasesProps, 'names'> {
  /** What the newer one is called, where it is not the draft. */
  afterName?: string;
}

/** Live and what is to take its place, for where that is looked at before. */
export default function DraftCanvases({ afterName, ...props }: DraftCanvasesProps): ReactNode {
  return (
    <div className={css.framed}>
      <Canvases {...props} names={{ before: t('versions.now'), after: afterName ?? t('versions.draft') }} />
    </div>
  );
}
