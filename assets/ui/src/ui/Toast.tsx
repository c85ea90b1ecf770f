import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { Toast as Primitive } from 'radix-ui';
import { useSyncExternalStore, type ReactNode } from 'react';
import { t } from '../i18n';
import { Button, IconButton } from './Button';
import css from './Toast.module.css';

export interface ToastContent {
  text: string;
  /** `danger` is for what was taken back; what needs action is a banner. */
  tone?: 'success' | 'danger';
  /** One action, such as Undo. */
  action?: { label: string; onClick: () => void };
}

interface ActiveToast extends ToastContent {
  id: number;
}

let shown: readonly ActiveToast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function put(list: readonly ActiveToast[]): void {
  shown = list;
  for (const listener of listeners) listener();
}

/** Confirms a finished action. Errors that need action are banners, not toasts. */
export function toast(content: ToastContent | string): void {
  const item = typeof content === 'string' ? { text: content } : content;
  put([...shown.slice(-2), { ...item, id: next++ }]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const close = (id: number): void => put(shown.filter((item) => item.id !== id));

/** Where toasts appear: once per page. */
export function Toaster(): ReactNode {
  const items = useSyncExternalStore(subscribe, () => shown);
  return (
    <Primitive.Provider duration={6000} swipeDirection="down" label={t('kit.notice')}>
      {items.map(({ id, text, action, tone }) => (
        <Primitive.Root key={id} className={css.toast} onOpenChange={(open) => !open && close(id)}>
          {tone === 'danger' ? (
            <CircleAlert size={16} aria-hidden className={css.bad} />
          ) : (
            <CircleCheck size={16} aria-hidden className={css.icon} />
          )}
          <Primitive.Title className={css.text}>{text}</Primitive.Title>
          {action && (
            <Primitive.Action asChild altText={action.label}>
              <Button size="compact" onClick={action.onClick}>
                {action.label}
              </Button>
            </Primitive.Action>
          )}
          <Primitive.Close asChild>
            <IconButton icon={X} label={t('kit.close')} size="compact" />
          </Primitive.Close>
        </Primitive.Root>
      ))}
      <Primitive.Viewport className={css.viewport} label={t('kit.notices')} />
    </Primitive.Provider>
  );
}
