import type { Fault } from '@lab/contracts';

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
    const distance = editDistance(name, candidate, bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best === undefined ? undefined : `did you mean ${best}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; stops counting at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? limit;
}
