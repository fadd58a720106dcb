import type { Fault } from '@lab/contracts';
import { isLinear } from './linear-constraints.js';
import { solveLinear, type Row } from './linear-programs.js';
import type { Space } from './space.js';

/** Adds the bounds that linear constraints imply to `unbounded` faults of a space without other faults. */
export function withImpliedBounds(faults: readonly Fault[], space: Space): Fault[] {
  const inputs = space.inputs.filter((input) => input.kind !== 'categorical');
  const bounds = inputs.map((input) =>
    input.kind === 'discrete' ? [Math.min(...input.values), Math.max(...input.values)] : input.bounds,
  );
  const place = new Map(inputs.map(({ key }, j) => [key, j]));
  const rows: Row[] = space.constraints.filter(isLinear).map((constraint) => {
    const coefficients = new Float64Array(inputs.length);
    constraint.features.forEach((key, i) => (coefficients[place.get(key)!] = constraint.coefficients[i]!));
    const lower = constraint.kind === 'linear_equality' ? constraint.rhs : -Infinity;
    return { coefficients, lower, upper: constraint.rhs };
  });
  const lower = Float64Array.from(bounds, ([least]) => least!);
  const upper = Float64Array.from(bounds, ([, most]) => most!);
  return faults.map((fault) => {
    const { key } = space.inputs.find((_, i) => fault.path === `inputs[${i}].bounds`)!;
    const objective = new Float64Array(inputs.length);
    objective[place.get(key)!] = 1;
    const ends = (['minimize', 'maximize'] as const).map((direction) => {
      const outcome = solveLinear({ direction, objective, lower, upper, rows });
      return outcome.status === 'optimal' ? outcome.value : null;
    });
    const hint = ends.includes(null)
      ? 'No constraint bounds it on that side: give finite bounds'
      : `The constraints keep it within [${ends.join(', ')}]: give these bounds`;
    return { ...fault, hint };
  });
}
