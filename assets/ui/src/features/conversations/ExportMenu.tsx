import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, Menu } from '../../ui';
import { t } from './words';
import { useExport, type ExportScope } from './useExport';

/** Conversations as files. */
export function ExportMenu(scope: ExportScope): ReactNode {
  const { busy, json, table, family } = useExport(scope);
  return (
    <Menu
      items={[
        { label: t('conversations.json'), onSelect: json },
        { label: t('conversations.csv'), onSelect: table },
        ...(family ? [{ label: t('conversations.family'), onSelect: family }] : []),
      ]}
    >
      <Button icon={Download} busy={busy}>
        {t('conversations.export')}
      </Button>
    </Menu>
  );
}
