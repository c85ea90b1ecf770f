import type { ReactNode } from 'react';
import { useCan } from '../../api/me';
import { useChangeToolServer, useCreateToolServer, type ToolServer } from '../../api/toolServers';
import { t } from '../../i18n';
import { Field, FormDialog, Input, toast, useForm } from '../../ui';
import { HeaderRows } from './HeaderRows';
import { bodyOf, fieldsOf, headerProblems, isReachedAnew, urlProblem } from './serverFields';

export interface ServerFormProps {
  server: ToolServer | null;
  onClose: () => void;
  /** It has to be asked for its tools. */
  onReached: (id: string) => void;
}

/** Where a server of tools is, and what it is asked with. */
export function ServerForm({ server, onClose, onReached }: ServerFormProps): ReactNode {
  const can = useCan();
  const create = useCreateToolServer();
  const change = useChangeToolServer();
  const readOnly = !(server ? can('tools:create', 'tools:update') : can('tools:create'));
  const form = useForm(fieldsOf(server), {
    check: (fields) => {
      const address = urlProblem(fields.url, server);
      return {
        ...(fields.name.trim() ? {} : { name: t('kit.needed') }),
        ...(address ? { url: t(`toolServers.${address}`) } : {}),
        ...(headerProblems(fields, server).size ? { headers: 'wrong' } : {}),
      };
    },
    send: async (fields) => {
      const body = bodyOf(fields);
      const id = server
        ? (await change.mutateAsync({ id: server.id, body }), server.id)
        : (await create.mutateAsync(body)).id;
      toast(t(server ? 'toolServers.saved' : 'toolServers.made', { name: body.name }));
      onClose();
      if (!server || isReachedAnew(fields, server)) onReached(id);
    },
    place: ({ message }) => (/serverUrl/.test(message) ? 'url' : /\bname:/i.test(message) ? 'name' : 'form'),
  });
  const { name, url, headers } = form.values;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t(!server ? 'toolServers.new' : readOnly ? 'toolServers.viewTitle' : 'toolServers.editTitle')}
      action={t(server ? 'kit.save' : 'toolServers.create')}
      readOnly={readOnly}
      drawer={620}
    >
      <Field
        label={t('kit.name')}
        error={form.errors.name}
        help={readOnly ? null : t('toolServers.nameHelp')}
      >
        <Input
          autoFocus={!readOnly}
          readOnly={readOnly}
          maxLength={128}
          value={name}
          onChange={(event) => form.set('name', event.target.value)}
        />
      </Field>
      <Field
        label={t('toolServers.address')}
        error={form.errors.url}
        help={readOnly ? null : t(server ? 'toolServers.keepAddress' : 'toolServers.addressHelp')}
      >
        <Input
          inputMode="url"
          spellCheck={false}
          readOnly={readOnly}
          placeholder={server?.serverUrl}
          value={url}
          onChange={(event) => form.set('url', event.target.value)}
        />
      </Field>
      <HeaderRows
        rows={headers}
        problems={form.errors.headers ? headerProblems(form.values, server) : new Map()}
        readOnly={readOnly}
        onChange={(next) => form.set('headers', next)}
      />
    </FormDialog>
  );
}
