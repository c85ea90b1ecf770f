import { MoreHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../i18n';
import { IconButton } from './Button';
import { Menu, type MenuEntry } from './Menu';

/** The menu at the end of a row; `name` tells it from the others. */
export function RowMenu({ name, items }: { name: string; items: readonly MenuEntry[] }): ReactNode {
  const label = t('kit.actionsOf', { name });
  return (
    <Menu items={items} label={label}>
      <IconButton icon={MoreHorizontal} label={label} size="compact" />
    </Menu>
  );
}
