import { editDistance } from '@lab/ports';

/**
 * The most likely candidate for a misspelt name; undefined when none is near. At most a third of the letters (and at
 * most three) may differ, regardless of case.
 */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  const limit = Math.min(3, Math.max(1, Math.floor(name.length / 3)));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean "x"?`, or the list of choices when none is near; undefined when there is none. */
export function hintFor(name: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  const near = suggest(name, all);
  if (near !== undefined) return `did you mean "${near}"?`;
  if (all.length === 0) return undefined;
  const shown = [...all].sort().slice(0, 8);
  return `there ${all.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${all.length > shown.length ? ', ...' : ''}`;
}
