import { Ungroup } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlowNode } from '../../../core/flowdata';
import { nodeLabel } from '../../../core/nodes';
import { Button } from '../../../ui';
import type { Doc } from '../document/doc';
import { leaveGroups, membersOf, ungroup } from '../document/groups';
import type { DocumentHandle } from '../editing/useDocument';
import { t } from '../words';
import { CardLine } from './CardLine';
import css from './Panel.module.css';

export interface GroupCardsProps {
  document: DocumentHandle;
  doc: Doc;
  node: FlowNode;
  onSelect: (id: string | null) => void;
}

/** The cards of a group: to go to one, to take one out, and to take the group apart. */
export function GroupCards({ document, doc, node, onSelect }: GroupCardsProps): ReactNode {
  return (
    <section className={css.groupCards} aria-label={t('editor.groupCards')}>
      <p className="note">{t('editor.groupHelp')}</p>
      <ul>
        {membersOf(doc, node).map((one) => {
          const name = nodeLabel(one);
          return (
            <CardLine
              key={one.id}
              name={name}
              onGo={() => onSelect(one.id)}
              leave={
                document.open
                  ? {
                      label: t('editor.leaveGroupOf', { name }),
                      run: () => document.apply((now) => leaveGroups(now, new Set([one.id]))),
                    }
                  : null
              }
            />
          );
        })}
      </ul>
      {document.open && (
        <Button
          size="compact"
          icon={Ungroup}
          className={css.addRow}
          onClick={() => {
            onSelect(null);
            document.apply((now) => ungroup(now, new Set([node.id])));
          }}
        >
          {t('editor.ungroup')}
        </Button>
      )}
    </section>
  );
}
