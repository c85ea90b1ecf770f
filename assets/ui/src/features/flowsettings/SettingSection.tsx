import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Banner, Button, Fields, Section } from '../../ui';
import css from './FlowSettings.module.css';
import type { SectionState } from './useSection';

export interface SettingSectionProps {
  title: string;
  description?: ReactNode;
  state: Pick<SectionState<object>, 'dirty' | 'busy' | 'error' | 'save' | 'reset'>;
  /** Whether what was typed can be sent. */
  valid?: boolean;
  mayEdit: boolean;
  /** The words of its button, where it does more than save. */
  action?: string;
  children: ReactNode;
}

/** A section with its own Save, so that one mistake does not hold up the rest. */
export function SettingSection(props: SettingSectionProps): ReactNode {
  const { title, description, state, valid = true, mayEdit, action, children } = props;
  const { dirty, busy, error, save, reset } = state;
  return (
    <Section title={title} description={description}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (dirty && valid && !busy) save();
        }}
      >
        <fieldset disabled={!mayEdit} className={css.fieldset}>
          <legend className="sr-only">{title}</legend>
          <Fields>{children}</Fields>
        </fieldset>
        {error && (
          <Banner tone="danger" title={t('flowsettings.notSaved')}>
            {error}
          </Banner>
        )}
        {mayEdit && (
          <div className={css.foot}>
            {dirty && <span className={css.state}>{t('flowsettings.unsaved')}</span>}
            <Button onClick={reset} disabled={!dirty || busy}>
              {t('flowsettings.reset')}
            </Button>
            <Button type="submit" disabled={!dirty || !valid} busy={busy}>
              {action ?? t('kit.save')}
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}
