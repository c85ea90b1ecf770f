import { useAddress } from '../../ui';
import type { ListView, Order } from './state';

export interface FlowListView {
  view: ListView;
  order: Order;
  down: boolean;
  filtered: boolean;
  change: (part: Partial<ListView>) => void;
  sort: (order: Order, down: boolean) => void;
  clear: () => void;
}

const orders: readonly Order[] = ['name', 'state', 'published', 'edited'];

/** Tab, filters and order live in the address, so that they can be shared and survive going back. */
export function useListView(): FlowListView {
  const { read, put } = useAddress();
  const view = { kind: read('kind'), state: read('state'), tag: read('tag'), text: read('q') };
  const [word = '', direction] = read('sort').split('-');
  const order = orders.find((one) => one === word) ?? 'edited';
  return {
    view,
    order,
    down: read('sort') === '' ? true : direction === 'down',
    filtered: Boolean(view.state || view.tag || view.text),
    change: ({ text, ...rest }) => put({ ...rest, ...(text === undefined ? {} : { q: text }) }),
    sort: (next, down) => put({ sort: next === 'edited' && down ? '' : `${next}-${down ? 'down' : 'up'}` }),
    clear: () => put({ state: '', tag: '', q: '' }),
  };
}
