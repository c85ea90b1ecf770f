import { ChevronDown, GitCompareArrows, Rocket, Trash2 } from 'lucide-react';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { DraftStatus, Flow } from '../../api/models';
import { Button, IconButton, later, Menu, useActions } from '../../ui';
import type { PublishParts } from './parts';
import css from './Publish.module.css';
import { t } from './words';

const DiscardDialog = later(() => import('./DiscardDialog'), null);
const PublishDialog = later(() => import('./PublishDialog'), null);

export interface PublishProps {
  flow: Flow;
  status: DraftStatus;
  mayEdit: boolean;
  unsaved: boolean;
  save: () => Promise<boolean>;
  dropEdits: () => void;
  goToNode: (id: string) => void;
  parts: PublishParts;
}

/** Publish with its menu. Where edits go straight to Live there is nothing to publish, and the chip says why. */
export default function PublishButton(props: PublishProps): ReactNode {
  const { flow, status, mayEdit, unsaved, save, dropEdits, goToNode, parts } = props;
  const [open, setOpen] = useState<'publish' | 'discard' | null>(null);
  const [saving, setSaving] = useState(false);
  const [saved, setSaved] = useState(true);
  const [, go] = useLocation();
  const shown = status.mode === 'draft' && mayEdit;
  const can = Boolean(status.draft) || unsaved;

  const begin = useCallback((): void => {
    if (!unsaved) return setOpen('publish');
    setSaving(true);
    void save().then((done) => {
      setSaving(false);
      setSaved(done);
      setOpen('publish');
    });
  }, [unsaved, save]);
  const compare = `/flows/${flow.id}/versions?v=draft`;
  const close = (): void => {
    setOpen(null);
    setSaved(true);
  };
  useActions(
    useMemo(
      () =>
        shown && status.draft
          ? [
              { id: 'publish', label: t('publish.openDialog'), run: begin },
              { id: 'publish compare', label: t('publish.compare'), run: () => go(compare) },
              { id: 'publish discard', label: t('publish.discard'), run: () => setOpen('discard') },
            ]
          : [],
      [shown, status.draft, begin, compare, go],
    ),
  );
  if (!shown) return null;
  return (
    <div className={css.split}>
      <Button variant="primary" icon={Rocket} onClick={begin} disabled={!can} busy={saving}>
        {t('publish.publish')}
      </Button>
      <Menu
        label={t('publish.menu')}
        items={[
          {
            label: t('publish.compare'),
            hint: t('publish.compareHint'),
            icon: GitCompareArrows,
            onSelect: () => go(compare),
          },
          'separator',
          {
            label: t('publish.discard'),
            icon: Trash2,
            danger: true,
            onSelect: () => setOpen('discard'),
          },
        ]}
      >
        <IconButton
          icon={ChevronDown}
          variant="primary"
          label={t('publish.menu')}
          className={css.more}
          disabled={!status.draft}
        />
      </Menu>
      {open === 'publish' && (
        <PublishDialog flow={flow} unsaved={!saved} onClose={close} goToNode={goToNode} parts={parts} />
      )}
      {open === 'discard' && (
        <DiscardDialog flow={flow} status={status} unsaved={unsaved} dropEdits={dropEdits} onClose={close} />
      )}
    </div>
  );
}
