import type { Fault } from '@lab/contracts';

/** Takes one fault of a checker. */
export type Report = (path: string, code: string, message: string) => void;

/** All faults that a check reports, in order. */
export function faultsOf(check: (report: Report) => void): Fault[] {
  const faults: Fault[] = [];
  check((path, code, message) => faults.push({ path, code, message }));
  return faults;
}
