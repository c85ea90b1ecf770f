import { Check, Copy } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { t } from '../i18n';
import { Button, IconButton } from './Button';

export interface CopyButtonProps {
  text: string;
  /** What is copied: "Copy flow id". */
  label?: string;
  /** Shows the words beside the icon. */
  words?: boolean;
  size?: 'default' | 'compact';
  autoFocus?: boolean;
}

export function CopyButton({
  text,
  label = t('kit.copy'),
  words,
  size = 'compact',
  autoFocus,
}: CopyButtonProps): ReactNode {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1600);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void => {
    void copyText(text).then(setDone);
  };
  return (
    <>
      {words ? (
        <Button size={size} icon={done ? Check : Copy} onClick={copy} autoFocus={autoFocus}>
          {done ? t('kit.copied') : label}
        </Button>
      ) : (
        <IconButton
          size={size}
          icon={done ? Check : Copy}
          label={done ? t('kit.copied') : label}
          onClick={copy}
        />
      )}
      <span className="sr-only" role="status">
        {done ? t('kit.copied') : ''}
      </span>
    </>
  );
}

/** Puts text on the clipboard; false when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.className = 'sr-only';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
