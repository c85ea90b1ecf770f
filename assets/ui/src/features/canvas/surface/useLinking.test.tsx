import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { drawingOf } from '../board/graph';
import type * as Rules from '../document/rules';
import { judgeFrom, type End } from '../document/rules';
import { canvasOf } from '../document/samples';
import type { DocumentHandle } from '../editing/useDocument';
import { endsOf, useLinking } from './useLinking';

vi.mock('../document/rules', async (original) => {
  const rules = await original<typeof Rules>();
  return { ...rules, judgeFrom: vi.fn(rules.judgeFrom) };
});

test('a connection that is being drawn is judged by one judge, from whichever end', () => {
  const { doc } = canvasOf('model', 'chain', 'tool');
  const { nodes } = drawingOf(doc);
  const document = { apply: vi.fn(), now: () => doc } as unknown as DocumentHandle;
  const { result } = renderHook(() => useLinking(document, nodes, vi.fn()));
  const ends = nodes.flatMap(endsOf);
  const input = ends.find((one) => one.side === 'target' && one.handle.includes('-model-'));
  const outputs = ends.filter((one) => one.side === 'source');
  act(() => result.current.begin(input as End));
  const judged = outputs.map((one) => result.current.judge(one, input as End)?.ok);
  expect(judged).toEqual([true, false, false]);
  expect(judgeFrom).toHaveBeenCalledTimes(1);
});
