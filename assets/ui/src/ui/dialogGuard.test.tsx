import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { holdsEdits, losesEdits } from '../core/unsaved';
import { useDialogGuard, type DialogGuard } from './Dialog';

function guarded(typed: boolean, busy = false) {
  const onClose = vi.fn();
  const { result, rerender, unmount } = renderHook(
    (now: { typed: boolean; busy: boolean }) => useDialogGuard(now.typed, now.busy, onClose),
    { initialProps: { typed, busy } },
  );
  const guard = (): DialogGuard => result.current;
  /** Whether Escape closes the dialog. */
  const escapes = (): boolean => {
    let closes = false;
    act(() => {
      closes = guard().mayClose();
    });
    return closes;
  };
  return { guard, escapes, onClose, rerender, unmount };
}

const asksAtReload = (): boolean => {
  const reload = new Event('beforeunload', { cancelable: true });
  dispatchEvent(reload);
  return reload.defaultPrevented;
};

test('a dialog with nothing typed closes at once, and asks nobody who leaves', () => {
  const { guard, escapes } = guarded(false);
  expect([escapes(), guard().warned, holdsEdits(), asksAtReload()]).toEqual([true, false, false, false]);
});

test('with something typed the first Escape warns, and the second closes', () => {
  const { guard, escapes } = guarded(true);
  expect([escapes(), guard().warned]).toEqual([false, true]);
  expect(guard().warning).toBeTruthy();
  expect(escapes()).toBe(true);
});

test('what is typed after a warning that was heeded is asked about anew', () => {
  const { guard, escapes, rerender } = guarded(true);
  escapes();
  rerender({ typed: false, busy: false });
  expect([guard().warned, guard().warning]).toEqual([false, false]);
  rerender({ typed: true, busy: false });
  expect([guard().warned, escapes()]).toEqual([false, false]);
});

test('while it is sent the dialog cannot be closed, and asks nobody who leaves', () => {
  const { guard, escapes, rerender } = guarded(true);
  rerender({ typed: true, busy: true });
  expect([escapes(), guard().warned, losesEdits('/'), asksAtReload()]).toEqual([false, false, false, false]);
  rerender({ typed: true, busy: false });
  expect([losesEdits('/'), asksAtReload()]).toEqual([true, true]);
});

test('who leaves with something typed is asked, until a button closes the dialog', () => {
  const { guard, onClose, unmount } = guarded(true);
  expect([losesEdits('/'), asksAtReload()]).toEqual([true, true]);
  act(() => guard().close());
  expect(onClose).toHaveBeenCalledOnce();
  expect([losesEdits('/'), asksAtReload()]).toEqual([false, false]);
  unmount();
  expect(holdsEdits()).toBe(false);
});
