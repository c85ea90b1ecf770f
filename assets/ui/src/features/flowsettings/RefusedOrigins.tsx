import type { ReactNode } from 'react';
import { useRefusedOrigins, useSaveSettings } from '../../api/flowsettings';
import { isOrigin, readDomains, writeDomains } from '../../core/flowconfig';
import { t } from '../../i18n';
import { Banner, Button, RelativeTime, toast } from '../../ui';
import css from './FlowSettings.module.css';
import type { SectionProps } from './useSection';

/** What browsers call pages such as files; no list can name them. */
const NO_SITE = 'null';

export interface RefusedOriginsProps extends SectionProps {
  /** The entry is in the stored list now. */
  onListed: (origin: string) => void;
}

/** Sites whose pages were turned away lately, so that one that was forgotten is found, and listed with one click. */
export function RefusedOrigins({ flow, mayEdit, onListed }: RefusedOriginsProps): ReactNode {
  const refused = useRefusedOrigins(flow.id, flow.updatedDate).data ?? [];
  const saving = useSaveSettings(flow.id);
  if (refused.length === 0) return null;
  const list = (origin: string): void =>
    saving.mutate(
      (now) => {
        const domains = readDomains(now.chatbotConfig);
        return {
          chatbotConfig: writeDomains(now.chatbotConfig, { ...domains, list: [...domains.list, origin] }),
        };
      },
      {
        onSuccess: () => {
          onListed(origin);
          toast(t('flowsettings.refusedListed', { origin }));
        },
      },
    );
  return (
    <div className={css.refused}>
      <h3>{t('flowsettings.refused')}</h3>
      <p className={css.note}>{t('flowsettings.refusedText')}</p>
      {saving.error && (
        <Banner tone="danger" title={t('flowsettings.notSaved')}>
          {saving.error.message}
        </Banner>
      )}
      <ul>
        {refused.map(({ origin, count, lastDate }) => (
          <li key={origin} className={css.refusedRow}>
            <span className={css.refusedOrigin}>
              {origin === NO_SITE ? t('flowsettings.refusedNoSite') : <code>{origin}</code>}
              <span className={css.note}>
                {t('flowsettings.refusedCount', { count })} <RelativeTime date={lastDate} />
              </span>
            </span>
            {mayEdit && origin !== NO_SITE && isOrigin(origin) && (
              <Button
                size="compact"
                disabled={saving.isPending}
                aria-label={t('flowsettings.refusedAllow', { origin })}
                onClick={() => list(origin)}
              >
                {t('flowsettings.refusedAllowShort')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
