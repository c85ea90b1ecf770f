import { useId, type ReactNode } from 'react';
import { t } from '../i18n';
import { Banner } from './Banner';
import { Button } from './Button';
import { Dialog, Drawer, useDialogGuard } from './Dialog';
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

/** A form in a dialog or a drawer. What was typed is not lost by a stray click, Escape, Back or a reload. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { form, title, description, action, cancel, children, size, drawer, readOnly, extra } = props;
  const id = useId();
  const guard = useDialogGuard(form.dirty && !readOnly, form.busy, props.onClose);
  const shared = {
    open: true,
    onClose: guard.close,
    mayClose: guard.mayClose,
    title,
    description,
    footer: (
      <>
        {extra && <span className={css.extra}>{extra}</span>}
        {guard.warning}
        <Button onClick={guard.close} disabled={form.busy}>
          {readOnly ? t('kit.close') : guard.warned ? t('kit.discard') : (cancel ?? t('kit.cancel'))}
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
