import { X } from 'lucide-react';
import { AlertDialog as Alert, Dialog as Primitive } from 'radix-ui';
import { useLayoutEffect, useRef, useState, type ComponentProps, type ReactNode } from 'react';
import { holdUnsaved } from '../core/unsaved';
import { t } from '../i18n';
import { Button, IconButton } from './Button';
import { cx } from './cx';
import css from './Dialog.module.css';
import { scrollRegion } from './scrollRegion';
import { useOpener } from './opener';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** One sentence below the title. */
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  size?: 'small' | 'medium' | 'large' | 'full';
  /** Asks before a click outside or Escape closes it: return false to stay. */
  mayClose?: () => boolean;
}

function Panel(props: ComponentProps<typeof Primitive.Content>): ReactNode {
  return <Primitive.Content onOpenAutoFocus={focusFirst} onCloseAutoFocus={useOpener()} {...props} />;
}

function AlertPanel(props: ComponentProps<typeof Alert.Content>): ReactNode {
  return <Alert.Content onCloseAutoFocus={useOpener()} {...props} />;
}

/** Focus starts where the work is, not on the button that closes. */
function focusFirst(event: Event): void {
  const panel = event.currentTarget;
  if (!(panel instanceof HTMLElement)) return;
  event.preventDefault();
  const first = panel.querySelector<HTMLElement>(
    '[data-autofocus], input:not([type=hidden], [type=file], [type=radio]), textarea, [role=combobox]',
  );
  (first ?? panel).focus();
}

function Head({ title, description }: Pick<DialogProps, 'title' | 'description'>): ReactNode {
  return (
    <header className={css.head}>
      <div>
        <Primitive.Title className={css.title}>{title}</Primitive.Title>
        {description && (
          <Primitive.Description className={css.description}>{description}</Primitive.Description>
        )}
      </div>
      <Primitive.Close asChild>
        <IconButton icon={X} label={t('kit.close')} size="compact" className={css.close} />
      </Primitive.Close>
    </header>
  );
}

export function Dialog(props: DialogProps): ReactNode {
  const { open, onClose, title, description, children, footer, size = 'medium', mayClose } = props;
  return (
    <Primitive.Root open={open} onOpenChange={(next) => !next && (mayClose?.() ?? true) && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className={css.overlay}>
          <Panel
            className={cx(css.dialog, css[size])}
            {...(description ? {} : { 'aria-describedby': undefined })}
          >
            <Head title={title} description={description} />
            {children && <div className={css.body}>{children}</div>}
            {footer && <footer className={css.foot}>{footer}</footer>}
          </Panel>
        </Primitive.Overlay>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  children?: ReactNode;
  /** Repeats the verb: "Delete flow", never "OK". */
  confirm: string;
  danger?: boolean;
  busy?: boolean;
  disabled?: boolean;
  error?: string | null;
}

/** Only for what changes Live, deletes, or reveals a secret. Focus starts on Cancel. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { open, onClose, onConfirm, title, children, confirm, danger = true, busy, disabled, error } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Alert.Root open={open} onOpenChange={(next) => !next && !busy && onClose()}>
      <Alert.Portal>
        <Alert.Overlay className={css.overlay}>
          <AlertPanel
            className={cx(css.dialog, css.small)}
            onOpenAutoFocus={(event) => {
              event.preventDefault();
              cancel.current?.focus();
            }}
          >
            <header className={css.head}>
              <Alert.Title className={css.title}>{title}</Alert.Title>
            </header>
            <Alert.Description asChild>
              <div className={css.body}>{children}</div>
            </Alert.Description>
            {error && (
              <p className={css.error} role="alert">
                {error}
              </p>
            )}
            <footer className={css.foot}>
              <Button ref={cancel} onClick={onClose} disabled={busy}>
                {t('kit.cancel')}
              </Button>
              <Button
                variant={danger ? 'danger' : 'primary'}
                onClick={onConfirm}
                busy={busy}
                disabled={disabled}
              >
                {confirm}
              </Button>
            </footer>
          </AlertPanel>
        </Alert.Overlay>
      </Alert.Portal>
    </Alert.Root>
  );
}

export interface DrawerProps extends Omit<DialogProps, 'size'> {
  width?: number;
}

/** A panel from the end side of the page. */
export function Drawer(props: DrawerProps): ReactNode {
  const { open, onClose, title, description, children, footer, mayClose, width = 480 } = props;
  return (
    <Primitive.Root open={open} onOpenChange={(next) => !next && (mayClose?.() ?? true) && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className={css.scrim} />
        <Panel
          className={css.drawer}
          style={{ inlineSize: width }}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <Head title={title} description={description} />
          <div ref={scrollRegion} className={cx(css.body, css.fill)}>
            {children}
          </div>
          {footer && <footer className={css.foot}>{footer}</footer>}
        </Panel>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export interface DialogGuard {
  /** For the dialog: a stray click or Escape closes it when nothing is typed, or after the warning. */
  mayClose: () => boolean;
  /** Closes the dialog for good: for its buttons, and before it leads elsewhere. */
  close: () => void;
  /** The person was told that something is not saved; the button that closes says Discard from then on. */
  warned: boolean;
  /** Tells them; stands in the foot before the buttons. */
  warning: ReactNode;
}

/**
 * Keeps what is typed into a dialog from a stray click, Escape, Back and a reload. While it is sent the dialog cannot be
 * closed, and goes on by itself without asking.
 */
export function useDialogGuard(typed: boolean, busy: boolean, onClose: () => void): DialogGuard {
  const [told, setTold] = useState(false);
  const free = useRef(busy);
  useLayoutEffect(() => {
    free.current = busy;
  }, [busy]);
  useLayoutEffect(() => {
    if (!typed) return;
    const ask = (event: BeforeUnloadEvent): void => {
      if (!free.current) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    const release = holdUnsaved({ stays: () => free.current });
    return () => {
      removeEventListener('beforeunload', ask);
      release();
      // What is typed later is another thing: it is asked about anew.
      setTold(false);
    };
  }, [typed]);
  const warned = typed && told;
  return {
    mayClose: () => {
      if (busy) return false;
      if (!typed || warned) return true;
      setTold(true);
      return false;
    },
    close: () => {
      free.current = true;
      onClose();
    },
    warned,
    warning: warned && (
      <span className={css.warned} role="status">
        {t('kit.notSavedYet')}
      </span>
    ),
  };
}
