import type { ReactNode } from 'react';
import { Combobox } from '../../../ui';
import { usePanel, type FieldProps } from './context';
import { asText } from './values';

/** A key of the state that Start declares; another can be typed. */
export function StateKeyField({ param, scope }: FieldProps): ReactNode {
  const { state, readOnly } = usePanel();
  return (
    <Combobox
      value={asText(scope.values[param.name])}
      onChange={(key) => scope.change({ [param.name]: key })}
      options={[...state.keys()].map((key) => ({ value: key, label: key }))}
      allowOther
      disabled={readOnly}
    />
  );
}
