import type { Fault } from '@lab/contracts';
import { editDistance } from '@lab/ports';

/** Lists every fault of the configuration at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly Fault[]) {
    super(
      faults.length === 1
        ? `The configuration is not usable: ${lineOf(faults[0])}`
        : `The configuration has ${faults.length} faults:${faults.map((fault) => `\n  ${lineOf(fault)}`).join('')}`,
    );
  }
}

function lineOf(fault: Fault | undefined): string {
  if (fault === undefined) return '';
  return `${fault.path}: ${fault.message}${fault.hint === undefined ? '' : ` (${fault.hint})`}`;
}

/** `did you mean "x"?` for a name that is at most two edits from a known one. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = 3;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best === undefined ? undefined : `did you mean ${best}?`;
}
