import type { Fault } from '@lab/contracts';

export type Report = (path: string, code: string, message: string) => void;

export function faultsOf(check: (report: Report) => void): Fault[] {
  const faults: Fault[] = [];
  check((path, code, message) => faults.push({ path, code, message }));
  return faults;
}
