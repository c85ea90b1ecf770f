import { ChevronLeft, ChevronRight, ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAudit } from '../../api/audit';
import { useCan, useMe } from '../../api/me';
import { usePeople } from '../../api/people';
import { number } from '../../core/format';
import { t } from '../../i18n';
import {
  Button,
  EmptyState,
  FilteredEmpty,
  IconButton,
  Input,
  Loaded,
  NoAccess,
  Page,
  PageHeader,
  Select,
  Toolbar,
  useAddress,
} from '../../ui';
import css from './Audit.module.css';
import { AuditTable } from './AuditTable';
import { edgeOfDay, groups, isGroup, pageOf, type Group } from './groups';
import './words';

const LIMIT = 50;
const names = ['kind', 'user', 'since', 'until'];

/** Who did what: all of it for the owner, sign-ins for those who may see them. */
export default function AuditPage(): ReactNode {
  const can = useCan();
  const owner = useMe().data?.isOrganizationAdmin ?? false;
  const maySee = owner || can('loginActivity:view');
  const { read, put } = useAddress();
  const kind = read('kind');
  const page = pageOf(read('page'));
  const log = useAudit(
    owner,
    {
      page,
      limit: LIMIT,
      actions: isGroup(kind) ? groups[kind] : [],
      userId: read('user'),
      since: edgeOfDay(read('since'), false),
      until: edgeOfDay(read('until'), true),
    },
    maySee,
  );
  if (!maySee) {
    return (
      <Page>
        <PageHeader title={t('audit.title')} />
        <NoAccess permission="loginActivity:view" />
      </Page>
    );
  }
  const filtered = names.some((name) => read(name));
  const clear = (): void => put({ kind: '', user: '', since: '', until: '', page: '' });
  return (
    <Page>
      <PageHeader
        title={t('audit.title')}
        description={t(owner ? 'audit.description' : 'audit.descriptionSignIns')}
      />
      <Toolbar label={t('audit.filters')}>
        <Filters owner={owner} />
        {filtered && (
          <Button variant="ghost" onClick={clear}>
            {t('kit.clearFilters')}
          </Button>
        )}
      </Toolbar>
      <Loaded query={log}>
        {({ data, total }) =>
          data.length === 0 ? (
            filtered || page > 1 ? (
              <FilteredEmpty onClear={clear} />
            ) : (
              <EmptyState icon={ScrollText} title={t('audit.empty')} />
            )
          ) : (
            <>
              <AuditTable rows={data} />
              <Pager
                page={page}
                total={total}
                onPage={(next) => put({ page: next > 1 ? String(next) : '' })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Filters({ owner }: { owner: boolean }): ReactNode {
  const can = useCan();
  const me = useMe().data;
  const { read, put } = useAddress();
  const here = { id: me?.activeWorkspaceId ?? '', name: me?.activeWorkspace ?? '' };
  const people = usePeople(can('users:manage'), here, can('users:manage', 'workspace:view'));
  const set = (name: string, value: string): void => put({ [name]: value, page: '' });
  return (
    <>
      {owner && (
        <Select
          className={css.filter}
          aria-label={t('audit.kind')}
          value={read('kind')}
          onChange={(next) => set('kind', next)}
          options={[
            { value: '', label: t('audit.all') },
            ...(Object.keys(groups) as Group[]).map((name) => ({
              value: name,
              label: t(`audit.group.${name}`),
            })),
          ]}
        />
      )}
      {people.data && (
        <Select
          className={css.filter}
          aria-label={t('audit.person')}
          value={read('user')}
          onChange={(next) => set('user', next)}
          options={[
            { value: '', label: t('audit.anybody') },
            ...people.data.map(({ userId, user }) => ({ value: userId, label: user.name })),
          ]}
        />
      )}
      {(['since', 'until'] as const).map((name) => (
        <label key={name} className={css.day}>
          {t(name === 'since' ? 'audit.from' : 'audit.to')}
          <Input
            type="date"
            className={css.date}
            value={read(name)}
            onChange={(event) => set(name, event.target.value)}
          />
        </label>
      ))}
    </>
  );
}

interface PagerProps {
  page: number;
  total: number;
  onPage: (page: number) => void;
}

function Pager({ page, total, onPage }: PagerProps): ReactNode {
  const from = (page - 1) * LIMIT + 1;
  const to = Math.min(page * LIMIT, total);
  return (
    <div className={css.pager}>
      <p role="status">{t('audit.range', { from: number(from), to: number(to), total: number(total) })}</p>
      <IconButton
        icon={ChevronLeft}
        label={t('audit.previous')}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      />
      <IconButton
        icon={ChevronRight}
        label={t('audit.next')}
        disabled={to >= total}
        onClick={() => onPage(page + 1)}
      />
    </div>
  );
}
