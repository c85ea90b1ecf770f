import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePublishInstantly } from '../../api/flowsettings';
import type { DraftStatus, Flow } from '../../api/models';
import { t } from '../../i18n';
import { Banner, Section, Switch } from '../../ui';

export interface PublishSectionProps {
  flow: Flow;
  status: DraftStatus;
  mayEdit: boolean;
}

export function PublishSection({ flow, status, mayEdit }: PublishSectionProps): ReactNode {
  const saving = usePublishInstantly(flow.id);
  const blocked = status.draft !== null && !status.publishInstantly;
  const pointless = status.reason === 'off' || status.reason === 'type';
  const on = saving.isPending ? saving.variables : status.publishInstantly;
  return (
    <Section title={t('flowsettings.instant')} description={t('flowsettings.instantText')}>
      <Switch
        checked={on}
        onChange={(next) => saving.mutate(next)}
        label={t('flowsettings.instantSwitch')}
        disabled={!mayEdit || blocked || pointless}
      />
      {status.reason === 'off' && <Banner>{t('flowsettings.instantOff')}</Banner>}
      {status.reason === 'type' && <Banner>{t('flowsettings.instantType')}</Banner>}
      {blocked && (
        <Banner
          tone="warning"
          title={t('flowsettings.instantBlocked')}
          actions={<Link href={`/flows/${flow.id}`}>{t('flowsettings.toEditor')}</Link>}
        >
          {t('flowsettings.instantBlockedText')}
        </Banner>
      )}
      {saving.error && (
        <Banner tone="danger" title={t('flowsettings.notSaved')}>
          {saving.error.message}
        </Banner>
      )}
    </Section>
  );
}
