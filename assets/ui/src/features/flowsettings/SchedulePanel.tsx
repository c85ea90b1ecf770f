import type { ReactNode } from 'react';
import type { Flow } from '../../api/models';
import css from './FlowSettings.module.css';
import { ScheduleParts } from './ScheduleParts';
import './words';
import { t } from '../../i18n';

export interface SchedulePanelProps {
  flow: Flow;
  mayEdit: boolean;
}

/** The schedule of a flow beside the Start card that sets its times. */
export default function SchedulePanel({ flow, mayEdit }: SchedulePanelProps): ReactNode {
  return (
    <section className={css.schedulePanel} aria-label={t('flowsettings.schedule')}>
      <h3>{t('flowsettings.schedule')}</h3>
      <p className={css.note}>{t('flowsettings.scheduleOfLive')}</p>
      <ScheduleParts id={flow.id} mayEdit={mayEdit} />
    </section>
  );
}
