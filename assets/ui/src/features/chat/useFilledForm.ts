import { useState } from 'react';
import { isObject } from '../../core/nodes';
import type { FormValues } from '../../core/startForm';
import type { Source } from './conversation';
import { useKeptText } from './useKeptText';

/** What a person filled in, of each canvas that has a form of its own. */
type Filled = Partial<Record<Source, FormValues>>;

export interface FilledForm {
  filled: Filled;
  fill: (source: Source, values: FormValues) => void;
  /** It goes to the flow: in place it stays filled in, for when the answer fails, and a reload begins anew. */
  send: () => void;
  /** It was not sent after all. */
  takeBack: () => void;
  clear: () => void;
}

/** The form that a flow begins with, as it was filled in; this browser keeps it until it is sent. */
export function useFilledForm(place: string): FilledForm {
  const [kept, keep] = useKeptText(place, undefined);
  const [filled, setFilled] = useState(() => read(kept));
  const put = (next: Filled): void => {
    setFilled(next);
    keep(Object.keys(next).length > 0 ? JSON.stringify(next) : '');
  };
  return {
    filled,
    fill: (source, values) => put({ ...filled, [source]: values }),
    send: () => keep(''),
    takeBack: () => put(filled),
    clear: () => put({}),
  };
}

function read(text: string): Filled {
  try {
    const told: unknown = JSON.parse(text);
    const of = (source: Source): Filled =>
      isObject(told) && isObject(told[source]) ? { [source]: told[source] as FormValues } : {};
    return { ...of('draft'), ...of('live') };
  } catch {
    return {};
  }
}
