import type { JsonObject, TaskParameters } from '@lab/contracts';

/** Greatest number of draws for one row. After it, the constraints count as impossible to satisfy. */
const mostDraws = 10_000;

/**
 * Draws parameters uniformly from the space that an optimizer searches: continuous inputs within their bounds that satisfy
 * the linear inequalities.
 *
 * @param random numbers from 0 to 1
 * @throws Error when no drawn point satisfies the inequalities
 */
export function randomRows(
  { arguments: args }: { arguments: Record<string, unknown> },
  count: number,
  random: () => number,
): TaskParameters[] {
  const inputs = listOf(args['inputs']);
  const constraints = listOf(args['constraints']);
  const draw = (): Record<string, number> => {
    for (let n = 0; n < mostDraws; n += 1) {
      const point = Object.fromEntries(
        inputs.map(({ key, bounds }) => {
          const [lower, upper] = bounds as [number, number];
          return [String(key), lower + random() * (upper - lower)];
        }),
      );
      if (constraints.every((constraint) => isKept(constraint, point))) return point;
    }
    throw new Error('No point that keeps the constraints of the optimizer was hit at random.');
  };
  return Array.from({ length: count }, () => byTask(draw()));
}

/** Numbers from 0 to 1, the same for the same seed (Park and Miller, Communications of the ACM 31 (1988) 1192-1201). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state - 1) / 2_147_483_646;
  };
}

function isKept({ kind, features, coefficients, rhs }: JsonObject, point: Record<string, number>): boolean {
  if (kind !== 'linear_inequality') return false;
  const weights = coefficients as number[];
  const sum = (features as string[]).reduce(
    (total, name, i) => total + (weights[i] ?? 0) * (point[name] ?? 0),
    0,
  );
  return sum <= (rhs as number);
}

function byTask(point: Record<string, number>): TaskParameters {
  const tasks: Record<string, JsonObject> = {};
  for (const [name, value] of Object.entries(point)) {
    const [task = '', parameter = ''] = name.split('.');
    tasks[task] = { ...tasks[task], [parameter]: value };
  }
  return tasks;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}
