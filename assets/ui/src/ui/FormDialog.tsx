import { useEffect, useId, useState, type ReactNode } from 'react';
import { holdUnsaved } from '../core/unsaved';
import { t } from '../i18n';
import { Banner } from './Banner';
import { Button } from './Button';
import { Dialog, Drawer } from './Dialog';
import { Fields } from './Field';
import css from './FormDialog.module.css';
import type { FormState } from './useForm';

export interface FormDialogProps {
  form: Pick<FormState<object>, 'busy' | 'dirty' | 'submit'> & { errors: { form?: string } };
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** The words of the main button. */
  action: string;
  /** Those of the button that closes it. */
  cancel?: string;
  children: ReactNode;
  size?: 'small' | 'medium' | 'large';
  /** Shows it as a panel of this width from the end side. */
  drawer?: number;
  /** Nothing may be changed: there is only Close. */
  readOnly?: boolean;
  /** Buttons at the start of the foot. */
  extra?: ReactNode;
}

/** A form in a dialog or a drawer. What was typed is not lost by a stray click or Escape. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { form, onClose, title, description, action, cancel, children, size, drawer, readOnly, extra } =
    props;
  const id = useId();
  const [warned, setWarned] = useState(false);
  const typed = form.dirty && !readOnly;
  // Nothing below a dialog is left by a link; but the end of the session would take the page away with it.
  useEffect(() => {
    if (typed) return holdUnsaved({ stays: () => true });
  }, [typed]);
  const shared = {
    open: true,
    onClose,
    title,
    description,
    mayClose: (): boolean => {
      if (form.busy) return false;
      if (!typed || warned) return true;
      setWarned(true);
      return false;
    },
    footer: (
      <>
        {extra && <span className={css.extra}>{extra}</span>}
        {warned && (
          <span className={css.warned} role="status">
            {t('kit.notSavedYet')}
          </span>
        )}
        <Button onClick={onClose} disabled={form.busy}>
          {readOnly ? t('kit.close') : warned ? t('kit.discard') : (cancel ?? t('kit.cancel'))}
        </Button>
        {!readOnly && (
          <Button type="submit" form={id} variant="primary" busy={form.busy}>
            {action}
          </Button>
        )}
      </>
    ),
  };
  const body = (
    <form id={id} onSubmit={form.submit} noValidate>
      <Fields>
        {children}
        {form.errors.form && <Banner tone="danger">{form.errors.form}</Banner>}
      </Fields>
    </form>
  );
  return drawer ? (
    <Drawer {...shared} width={drawer}>
      {body}
    </Drawer>
  ) : (
    <Dialog {...shared} {...(size ? { size } : {})}>
      {body}
    </Dialog>
  );
}
