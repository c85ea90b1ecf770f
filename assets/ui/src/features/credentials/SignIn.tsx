import { LogIn } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useBeginSignIn, type Credential, type SignInBegun } from '../../api/credentials';
import { t } from '../../i18n';
import { Banner, Button, CopyButton, Dialog, toast } from '../../ui';
import css from './Credentials.module.css';

/** A credential that opens nothing before somebody signed in for it: that comes next, wherever it was made. */
export function FirstSignIn({
  credential,
  onClose,
}: {
  credential: Credential;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('credentials.signInTitle', { name: credential.name })}
      description={t('credentials.signInText')}
      footer={<Button onClick={onClose}>{t('credentials.signInLater')}</Button>}
    >
      <div>
        <SignIn credential={credential} onDone={onClose} />
      </div>
    </Dialog>
  );
}

export interface SignInProps {
  credential: Credential;
  /** The provider sent the person back, and all is well. */
  onDone?: () => void;
}

/** Opens the provider's page in a window of its own. It counts for the credential as it is stored. */
export function SignIn({ credential, onDone }: SignInProps): ReactNode {
  const begin = useBeginSignIn();
  const [begun, setBegun] = useState<SignInBegun | null>(null);
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  });
  useEffect(() => {
    // Of a window that was elsewhere meanwhile nothing is left here but what it says on this channel.
    const channel = new BroadcastChannel('flowkeep-sign-in');
    channel.onmessage = ({ data }: MessageEvent<{ type?: string }>) => {
      if (data.type !== 'OAUTH2_SUCCESS') return;
      toast(t('credentials.saved', { name: credential.name }));
      done.current?.();
    };
    return () => channel.close();
  }, [credential.name]);
  const open = (): void => {
    // Browsers let a window open only while the click lasts, so it opens before its address is known.
    const page = window.open('', '_blank', 'popup,width=560,height=720');
    begin.mutate(credential.id, {
      onSuccess: (answer) => {
        setBegun(answer);
        if (page) page.location.href = answer.authorizationUrl;
      },
      onError: (error) => {
        page?.close();
        toast(error.message);
      },
    });
  };
  return (
    <>
      <Button icon={LogIn} busy={begin.isPending} onClick={open}>
        {t('auth.signIn')}
      </Button>
      {begun && (
        <Banner actions={<CopyButton text={begun.redirectUri} />}>
          {begun.message} <code className={css.address}>{begun.redirectUri}</code>
        </Banner>
      )}
    </>
  );
}
