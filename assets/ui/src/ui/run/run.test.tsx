import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState, type ReactNode } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { DecisionAsked } from '../../core/decision';
import { entriesOf, noRun, stepsOf, type RunStep } from '../../core/run';
import { AskPerson } from './AskPerson';
import { RunSteps } from './RunSteps';
import { RunStateBadge } from './RunStateBadge';
import type { StepActions } from './StepDetails';
import { ToldSteps } from './ToldSteps';

const steps = (...entries: object[]): RunStep[] =>
  stepsOf({ ...noRun, entries: entriesOf(entries.map((one) => ({ status: 'FINISHED', ...one }))) }, true);

function Steps({ list, actions = {} }: { list: readonly RunStep[]; actions?: StepActions }): ReactNode {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  return (
    <RunSteps
      steps={list}
      opened={opened}
      onOpen={(key, open) => setOpened(open ? new Set([key]) : new Set())}
      actions={actions}
    />
  );
}

describe('steps', () => {
  const writer = {
    nodeId: 'a',
    nodeLabel: 'Writer',
    data: {
      name: 'llmAgentflow',
      input: { messages: [{ role: 'user', content: 'Hi' }] },
      output: { content: 'Hello' },
    },
  };

  it('open by keyboard, and say what went in and came out', async () => {
    const again = vi.fn();
    render(<Steps list={steps(writer)} actions={{ again }} />);
    await userEvent.tab();
    await userEvent.keyboard('{Enter}');
    expect(screen.getByRole('button', { name: /Done Writer/ }).getAttribute('aria-expanded')).toBe('true');
    expect(screen.getByLabelText('User').textContent).toBe('Hi');
    expect(screen.getByLabelText('Output').textContent).toBe('Hello');
    await userEvent.click(screen.getByRole('button', { name: 'Run again from here' }));
    expect(again.mock.calls[0]?.[0]).toMatchObject({ nodeId: 'a' });
  });

  it('show what a model thought, and how long', async () => {
    const output = { reasonContent: { thinking: 'Rather short.', thinkingDuration: 5 } };
    render(<Steps list={steps({ ...writer, data: { ...writer.data, output } })} />);
    await userEvent.click(screen.getByRole('button', { name: /Done Writer/ }));
    await userEvent.click(screen.getByText('Thoughts, 5 s'));
    expect(screen.getByLabelText('Thoughts').textContent).toBe('Rather short.');
  });

  it('can be run again only where that is offered, and not while they run', async () => {
    const running = stepsOf({ ...noRun, open: [{ nodeId: 'a', label: 'Writer', after: 0 }] }, false);
    render(<Steps list={running} actions={{ again: vi.fn() }} />);
    await userEvent.click(screen.getByRole('button', { name: /Running Writer/ }));
    expect(screen.queryByRole('button', { name: 'Run again from here' })).toBeNull();
    expect(screen.getByText('Nothing is known of it yet.')).toBeTruthy();
  });

  it('show the newest of very many, and the others when asked', async () => {
    const many = steps(
      ...Array.from({ length: 205 }, (_, at) => ({ nodeId: `n${at}`, nodeLabel: `Step ${at}` })),
    );
    render(<Steps list={many} />);
    expect(screen.queryByText('Step 0')).toBeNull();
    expect(screen.getByText('Step 204')).toBeTruthy();
    await userEvent.click(screen.getByText('Show 5 earlier steps'));
    expect(screen.getByText('Step 0')).toBeTruthy();
  });
});

describe('a step that is opened from elsewhere', () => {
  const item = (index: number) => ({
    nodeId: 'a',
    nodeLabel: `Step ${index}`,
    data: { name: 'llmAgentflow', parentNodeId: 'each', iterationIndex: index },
  });
  const list = steps(...Array.from({ length: 15 }, (_, at) => item(at)), {
    nodeId: 'each',
    nodeLabel: 'Each',
    data: { name: 'iterationAgentflow' },
  });
  const nothing = (): void => undefined;

  it('is shown in whichever item it ran', () => {
    const { rerender } = render(<RunSteps steps={list} opened={new Set()} onOpen={nothing} actions={{}} />);
    expect([screen.queryByText('Step 9'), screen.queryByText('Step 14')].map(Boolean)).toEqual([true, false]);
    rerender(<RunSteps steps={list} opened={new Set(['a 15'])} onOpen={nothing} actions={{}} />);
    expect([screen.queryByText('Step 13'), screen.queryByText('Step 14')].map(Boolean)).toEqual([
      false,
      true,
    ]);
  });
});

describe('what a run asks', () => {
  const asked: DecisionAsked = {
    id: 'p1',
    label: 'Ask',
    choices: [
      { does: 'proceed', label: 'Proceed' },
      { does: 'reject', label: 'Reject' },
      { does: 'say', label: 'More' },
    ],
    takesFeedback: true,
  };

  it('is answered with the remark that was written', async () => {
    const decide = vi.fn();
    const Ask = (): ReactNode => {
      const [feedback, setFeedback] = useState('');
      return <AskPerson {...{ asked, feedback }} busy={false} onFeedback={setFeedback} onDecide={decide} />;
    };
    render(<Ask />);
    await userEvent.type(screen.getByRole('textbox', { name: /Your remark/ }), 'Too long');
    await userEvent.click(screen.getByRole('button', { name: 'Reject' }));
    expect(decide).toHaveBeenCalledWith({ type: 'reject', actionId: 'p1', feedback: 'Too long' }, 'Reject');
    // Where no question can be sent, there is no button for one.
    expect(screen.queryByRole('button', { name: 'More' })).toBeNull();
  });
});

it('names a state that this version does not know as the service does', () => {
  render(<RunStateBadge state="RESTING" />);
  expect(screen.getByText('RESTING')).toBeTruthy();
});

describe('a run under way', () => {
  it('is told in words, without the steps that are over at once', () => {
    vi.useFakeTimers();
    const at = (label: string) => ({ ...noRun, open: [{ nodeId: label, label, after: 0 }] });
    const { container, rerender } = render(<ToldSteps run={at('Short')} />);
    act(() => vi.advanceTimersByTime(1000));
    rerender(<ToldSteps run={at('Long')} />);
    act(() => vi.advanceTimersByTime(1000));
    expect(container.textContent).toBe('');
    act(() => vi.advanceTimersByTime(1000));
    expect(container.textContent).toBe('Under way: Long. Steps done: 0.');
    rerender(<ToldSteps run={noRun} />);
    act(() => vi.advanceTimersByTime(2000));
    expect(container.textContent).toBe('');
    vi.useRealTimers();
  });
});
