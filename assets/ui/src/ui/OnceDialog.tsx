import { useState, type ReactNode } from 'react';
import { t } from '../i18n';
import { Button } from './Button';
import { CopyButton } from './CopyButton';
import { Dialog } from './Dialog';
import css from './OnceDialog.module.css';
import { Checkbox } from './Switch';

export interface OnceDialogProps {
  title: string;
  /** Why it must be taken now. */
  text: ReactNode;
  /** What it is: "Key", "Link". */
  label: string;
  value: string;
  /** "Copy key". */
  copy: string;
  /** "I have stored it". */
  stored: string;
  /** Below the value, such as until when it is good. */
  note?: ReactNode;
  /** Below that, such as how it is used. */
  children?: ReactNode;
  onDone: () => void;
}

/** A secret that is shown this once. It closes only after the person says that they have it. */
export function OnceDialog(props: OnceDialogProps): ReactNode {
  const { title, text, label, value, copy, stored, note, children, onDone } = props;
  const [ticked, setTicked] = useState(false);
  const [warned, setWarned] = useState(false);
  return (
    <Dialog
      open
      onClose={onDone}
      mayClose={() => {
        setWarned(!ticked);
        return ticked;
      }}
      title={title}
      description={text}
      footer={
        <>
          {warned && !ticked && (
            <span className={css.warned} role="status">
              {t('kit.tickFirst')}
            </span>
          )}
          <Button variant="primary" disabled={!ticked} onClick={onDone}>
            {t('kit.done')}
          </Button>
        </>
      }
    >
      <div className={css.value} role="group" aria-label={label}>
        <code className={css.code}>{value}</code>
        <CopyButton words autoFocus text={value} label={copy} />
      </div>
      {note && <p className="note">{note}</p>}
      {children}
      <Checkbox checked={ticked} onChange={setTicked} label={stored} />
    </Dialog>
  );
}
