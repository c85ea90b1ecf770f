import { useMemo, type ReactNode } from 'react';
import type { CardParam } from '../../../api/cards';
import { Fields } from '../../../ui';
import { isValue } from '../document/definition';
import { isShown } from '../document/shown';
import { t } from '../words';
import type { Scope } from './context';
import { Fold } from './Fold';
import { ParamField } from './ParamField';

/** The fields of a card, or of one row: those that are shown beside what is set, the additional ones folded away. */
export function ParamFields({ params, scope }: { params: readonly CardParam[]; scope: Scope }): ReactNode {
  const { around, row } = scope;
  const shown = useMemo(
    () => params.filter((param) => isValue(param) && isShown(param, around, row)),
    [params, around, row],
  );
  const first = shown.filter((param) => !param.additionalParams);
  const more = shown.filter((param) => param.additionalParams);
  const field = (param: CardParam): ReactNode => (
    <div key={`${param.name} ${param.type}`} data-param={param.name}>
      <ParamField param={param} scope={scope} />
    </div>
  );
  return (
    <>
      {first.length > 0 && <Fields>{first.map(field)}</Fields>}
      {more.length > 0 && (
        <Fold title={t('editor.additional', { count: more.length })}>
          <Fields>{more.map(field)}</Fields>
        </Fold>
      )}
    </>
  );
}
