import { ArrowLeft } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import {
  useChangeCredential,
  useCreateCredential,
  type CredentialType,
  type Credential,
} from '../../api/credentials';
import { t, type Key } from '../../i18n';
import { Button, Field, FormDialog, Input, toast, useForm, type FormErrors } from '../../ui';
import { CredentialInput } from './CredentialInput';
import { FirstSignIn, SignIn } from './SignIn';
import { entriesOf, problemOf, toSend, type Entry, type Problem } from './fields';

export interface CredentialFormProps {
  type: CredentialType;
  /** The one that is changed; none for a new one. */
  stored?: Credential;
  /** What a new one is called at first. */
  name?: string;
  onClose: () => void;
  onBack?: () => void;
  /** A new one was made; its id. */
  onMade?: (id: string) => void;
}

/** `name`, and the fields of the type under `field.` and their names. */
type Values = { name: string } & Record<`field.${string}`, Entry>;

const words: Record<Problem, Key> = {
  required: 'kit.needed',
  number: 'credentials.badNumber',
  url: 'credentials.badUrl',
};

export function CredentialForm(props: CredentialFormProps): ReactNode {
  const { type, stored, onClose, onBack, onMade } = props;
  const create = useCreateCredential();
  const change = useChangeCredential();
  const known = stored?.plainDataObj ?? null;
  const first = entriesOf(type, known);
  const [made, setMade] = useState<Credential | null>(null);
  const form = useForm<Values>(
    {
      name: stored?.name ?? props.name ?? '',
      ...Object.fromEntries(Object.entries(first).map(([name, entry]) => [`field.${name}`, entry])),
    } as Values,
    {
      check: (values) => {
        const errors: FormErrors<Values> = values.name.trim() ? {} : { name: t('kit.needed') };
        for (const field of type.inputs) {
          const entry = values[`field.${field.name}`];
          const problem = entry && problemOf(field, entry, known);
          if (problem) errors[`field.${field.name}`] = t(words[problem]);
        }
        return errors;
      },
      send: async (values) => {
        const entries = Object.fromEntries(
          type.inputs.map((field) => [field.name, values[`field.${field.name}`]] as const),
        );
        const body = {
          name: values.name.trim(),
          credentialName: type.name,
          plainDataObj: toSend(type, entries as Record<string, Entry>),
        };
        if (stored) {
          await change.mutateAsync({ id: stored.id, body });
          toast(t('credentials.saved', { name: body.name }));
          onClose();
          return;
        }
        const now = await create.mutateAsync(body);
        onMade?.(now.id);
        toast(t('credentials.made', { name: body.name }));
        if (type.signIn) setMade(now);
        else onClose();
      },
      place: (error) => {
        const named = type.inputs.find((field) => error.message.includes(`'${field.name}'`));
        if (named) return `field.${named.name}`;
        return /\bname\b/i.test(error.message) ? 'name' : 'form';
      },
    },
  );
  if (made) return <FirstSignIn credential={made} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={stored ? t('credentials.editTitle') : type.label}
      description={stored ? type.label : undefined}
      action={t(stored ? 'kit.save' : 'credentials.create')}
      extra={
        onBack && (
          <Button variant="ghost" icon={ArrowLeft} onClick={onBack}>
            {t('credentials.back')}
          </Button>
        )
      }
    >
      <Field
        label={t('kit.name')}
        error={form.errors.name}
        {...(stored ? {} : { help: t('credentials.nameHelp') })}
        required
      >
        <Input
          autoFocus
          maxLength={100}
          value={form.values.name}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
      {type.inputs.map((field) => {
        const name = `field.${field.name}` as const;
        const entry = form.values[name];
        return (
          entry && (
            <CredentialInput
              key={field.name}
              field={field}
              entry={entry}
              stored={known?.[field.name]}
              error={form.errors[name]}
              onChange={(next) => form.set(name, next)}
            />
          )
        );
      })}
      {stored && type.signIn && <SignIn credential={stored} />}
    </FormDialog>
  );
}
