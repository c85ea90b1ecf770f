/** Longest name that a harness is asked by. */
export const NAME_CHARS_MAX = 64;

interface Drawn {
  nodes?: { data?: { name?: unknown; inputs?: Record<string, unknown> } }[];
}

/**
 * The canvas of a copy of a harness. A name belongs to one harness of a workspace, so the copy's gets a number behind
 * it, as the service gives one to what is imported.
 */
export function withFreeName(flowData: string, taken: readonly string[]): string {
  const canvas = JSON.parse(flowData) as Drawn;
  const team = canvas.nodes?.find(({ data }) => data?.name === 'harnessTeam')?.data?.inputs;
  const name = team?.harnessName;
  if (!team || typeof name !== 'string') return flowData;
  let free = name;
  for (let number = 2; taken.includes(free); number += 1) {
    const end = `-${number}`;
    free = name.slice(0, NAME_CHARS_MAX - end.length) + end;
  }
  team.harnessName = free;
  return JSON.stringify(canvas);
}
