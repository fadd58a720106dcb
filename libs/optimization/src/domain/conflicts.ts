import type { Fault } from '@lab/contracts';
import type { Encoding } from './encoding.js';
import { described } from './linear-constraints.js';
import { MixedProgram } from './mixed-program.js';
import type { Space } from './space.js';

/**
 * A smallest set of constraints that no point within the bounds satisfies together (deletion filter, Chinneck and
 * Dravnieks 1991).
 *
 * @returns positions in `space.constraints`; empty when there is a point, or when no conflict was proven in time
 */
export function conflictingConstraints(
  { constraints }: Pick<Space, 'constraints'>,
  encoding: Encoding,
): number[] {
  const impossible = (positions: readonly number[]) =>
    new MixedProgram(
      encoding,
      positions.map((i) => constraints[i]!),
    ).feasibility() === 'infeasible';
  let conflict = [...constraints.keys()];
  if (!impossible(conflict)) return [];
  for (const candidate of constraints.keys()) {
    const without = conflict.filter((i) => i !== candidate);
    if (impossible(without)) conflict = without;
  }
  return conflict;
}

/** One fault for each constraint of a conflict. It names the others, and the inputs whose bounds leave no room. */
export function conflictFaults(space: Space, conflict: readonly number[]): Fault[] {
  const named = (i: number) => `constraints[${i}] (${described(space.constraints[i]!)})`;
  const features = new Set(conflict.flatMap((i) => space.constraints[i]!.features));
  const ranges = space.inputs.flatMap((input) => {
    if (!features.has(input.key) || input.kind === 'categorical') return [];
    if (input.kind === 'discrete') return [`${input.key} is one of ${input.values.join(', ')}`];
    const steps = input.step === undefined ? '' : ` in steps of ${input.step}`;
    return [`${input.key} lies in [${input.bounds.join(', ')}]${steps}`];
  });
  return conflict.map((i) => {
    const others = conflict.filter((other) => other !== i).map(named);
    const besides = others.length === 0 ? '' : ` together with ${others.join(' and ')}`;
    return {
      path: `constraints[${i}]`,
      code: 'empty_domain',
      message: `No point satisfies ${named(i)}${besides} where ${ranges.join('; ')}`,
      hint:
        others.length === 0 ? 'Loosen it, or widen the inputs' : 'Loosen one of them, or widen the inputs',
    };
  });
}
