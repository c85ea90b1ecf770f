/** What the measurements of the page share. */
import { cpus, loadavg } from 'node:os';

/**
 * What stands for a bound on a machine with other work. What a page does is measured by the clock, so whatever else wants the
 * processors counts into it: with ten programs for two of them the best of three drags took 105 ms, with nothing wrong in the
 * page. As a guard (`FLOWKEEP_BENCH=guard`) the bound grows with how many programs wait for each processor; where none do it
 * is the bound itself.
 */
export function loaded(ms: number): number {
  if (process.env.FLOWKEEP_BENCH !== 'guard') return ms;
  return ms * Math.max(1, (loadavg()[0] ?? 1) / cpus().length);
}
