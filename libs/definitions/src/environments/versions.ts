/** Versions of Python and of libraries, as far as locks need them: the numbers of a release, without its suffixes. */

const release = /^\s*v?(?:\d+!)?(\d+(?:\.\d+)*)/;

/** The numbers of a version, such as 3, 11 and 7; undefined: it is no version. */
export function releaseOf(text: string): number[] | undefined {
  return release.exec(text)?.[1]?.split('.').map(Number);
}

/** Below 0: `left` is the earlier version. Missing numbers count as 0. */
export function compareReleases(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Whether a version satisfies one comparison (PEP 440), such as `>= 3.9` or `== 3.11.*`.
 *
 * @returns undefined: one of both is no version, or there is no such operator
 */
export function holds(version: string, operator: string, wanted: string): boolean | undefined {
  const [left, right] = [releaseOf(version), releaseOf(wanted)];
  if (left === undefined || right === undefined) return undefined;
  const order = compareReleases(left, right);
  const begins = compareReleases(left.slice(0, right.length), right) === 0;
  switch (operator) {
    case '==':
      return /\.\*\s*$/.test(wanted) ? begins : order === 0;
    case '!=':
      return !(/\.\*\s*$/.test(wanted) ? begins : order === 0);
    case '===':
      return version.trim() === wanted.trim();
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '~=': {
      const most = right.slice(0, -1);
      return order >= 0 && compareReleases(left.slice(0, most.length), most) === 0;
    }
    default:
      return undefined;
  }
}

/** Whether a version satisfies all comparisons of `requires-python`. What cannot be read is satisfied. */
export function satisfies(version: string, specifiers: string): boolean {
  return specifiers.split(',').every((each) => {
    const [, operator = '', wanted = ''] = /^\s*(===|[<>=!~]=|[<>])\s*(.+)$/.exec(each) ?? [];
    return holds(version, operator, wanted) !== false;
  });
}
