import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Section } from '../../ui';
import { ScheduleParts } from './ScheduleParts';
import type { SectionProps } from './useSection';

/** The schedule of a flow among its settings. */
export function ScheduleSection({ flow, mayEdit }: SectionProps): ReactNode {
  return (
    <Section title={t('flowsettings.schedule')} description={t('flowsettings.scheduleText')}>
      <ScheduleParts id={flow.id} mayEdit={mayEdit} />
    </Section>
  );
}
