import type { ReactNode } from 'react';
import type { FlowEdits } from '../../core/editing';
import { scrollRegion } from '../../ui';
import css from './Editor.module.css';
import { SaveLive } from './editing/SaveLive';
import { t } from './words';

/** The Editor tab of a flow that is told in a form. What it says is saved to Live. */
export function FormEditor({
  told,
  mayEdit,
}: {
  told: FlowEdits & { form: ReactNode };
  mayEdit: boolean;
}): ReactNode {
  return (
    <div className={css.editor}>
      <div className={css.bar} role="group" aria-label={t('canvas.tools')}>
        <span className={css.source}>{t(told.unsaved ? 'canvas.formEdited' : 'canvas.showsLive')}</span>
        <span className={css.push} />
        {mayEdit && <SaveLive editing={told} />}
      </div>
      <div ref={scrollRegion} className={css.told}>
        {told.form}
      </div>
    </div>
  );
}
