import { ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAudit } from '../../api/audit';
import { useCan, useMe } from '../../api/me';
import { usePeople } from '../../api/people';
import { edgeOfDay, pageOf } from '../../core/paging';
import { EmptyState, useAddress } from '../../ui';
import { CountedPager, DayFilters, FilteredPage, FilterSelect } from '../../ui/FilteredPage';
import { AuditTable } from './AuditTable';
import { groups, isGroup, type Group } from './groups';
import { t } from './words';

const LIMIT = 50;
const names = ['kind', 'user', 'since', 'until'];

/** Who did what: all of it for the owner, sign-ins for those who may see them. */
export default function AuditPage(): ReactNode {
  const can = useCan();
  const owner = useMe().data?.isOrganizationAdmin ?? false;
  const maySee = owner || can('loginActivity:view');
  const { read, clear } = useAddress();
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
  return (
    <FilteredPage
      title={t('audit.title')}
      description={t(owner ? 'audit.description' : 'audit.descriptionSignIns')}
      missing={maySee ? null : 'loginActivity:view'}
      label={t('audit.filters')}
      filters={<Filters owner={owner} />}
      filtered={names.some((name) => read(name))}
      onClear={() => clear([...names, 'page'])}
      query={log}
      further={page > 1}
      empty={<EmptyState icon={ScrollText} title={t('audit.empty')} />}
    >
      {({ data, total }) => (
        <>
          <AuditTable rows={data} />
          <CountedPager page={page} limit={LIMIT} total={total} />
        </>
      )}
    </FilteredPage>
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
        <FilterSelect
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
        <FilterSelect
          aria-label={t('audit.person')}
          value={read('user')}
          onChange={(next) => set('user', next)}
          options={[
            { value: '', label: t('audit.anybody') },
            ...people.data.map(({ userId, user }) => ({ value: userId, label: user.name })),
          ]}
        />
      )}
      <DayFilters
        from={t('audit.from')}
        to={t('audit.to')}
        since={read('since')}
        until={read('until')}
        onChange={set}
      />
    </>
  );
}
