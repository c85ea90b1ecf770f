import { OctagonAlert, TriangleAlert } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import type { IncomingFlow, PromotionWarning } from '../../api/promotion';
import { t } from '../../i18n';
import { Badge, Button, Section } from '../../ui';
import css from './Promote.module.css';
import { cardNames, toShow } from './warnings';

/** What the owner should know, first what will make the flow fail. */
export function Warnings(props: { flow: IncomingFlow; onNode: (id: string) => void }): ReactNode {
  const { flow, onNode } = props;
  const shown = toShow(flow.warnings);
  const names = useMemo(() => cardNames(flow.flowData), [flow.flowData]);
  return (
    <Section title={t('promote.warnings')}>
      {shown.length === 0 ? (
        <p className="muted">{t('promote.warningsNone')}</p>
      ) : (
        <ul className="lines" aria-label={t('promote.warnings')}>
          {shown.map((warning, at) => (
            <li key={at} className={css.warning}>
              <Mark warning={warning} />
              <p className={css.message}>{warning.message}</p>
              {warning.node !== undefined && (
                <Button size="compact" variant="ghost" onClick={() => onNode(warning.node ?? '')}>
                  {t('promote.showCard', { card: names.get(warning.node) ?? warning.node })}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const Mark = ({ warning }: { warning: PromotionWarning }): ReactNode =>
  warning.blocking ? (
    <Badge tone="danger" icon={OctagonAlert} className={css.sign}>
      {t('promote.blocking')}
    </Badge>
  ) : (
    <Badge tone="warning" icon={TriangleAlert} className={css.sign}>
      {t('promote.weighed')}
    </Badge>
  );
