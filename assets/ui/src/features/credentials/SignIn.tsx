import { LogIn } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { useBeginSignIn, type Credential, type SignInBegun } from '../../api/credentials';
import { t } from '../../i18n';
import { Banner, Button, CopyButton, toast } from '../../ui';
import css from './Credentials.module.css';

/** Opens the provider's page in a window of its own. It counts for the credential as it is stored. */
export function SignIn({ credential }: { credential: Credential }): ReactNode {
  const begin = useBeginSignIn();
  const [begun, setBegun] = useState<SignInBegun | null>(null);
  useEffect(() => {
    // Of a window that was elsewhere meanwhile nothing is left here but what it says on this channel.
    const channel = new BroadcastChannel('flowkeep-sign-in');
    channel.onmessage = ({ data }: MessageEvent<{ type?: string }>) => {
      if (data.type === 'OAUTH2_SUCCESS') toast(t('credentials.saved', { name: credential.name }));
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
