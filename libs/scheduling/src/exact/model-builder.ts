import type { CpExpression, CpConstraint, CpModelProto } from './cp-model-proto.js';

type Interval = NonNullable<CpConstraint['interval']>;

export const constant = (offset: number): CpExpression => ({ vars: [], coeffs: [], offset });

export const plus = ({ vars, coeffs, offset }: CpExpression, ticks: number): CpExpression => ({
  vars,
  coeffs,
  offset: offset + ticks,
});

/** Builds a model constraint by constraint. Every variable comes with its hint, so that the hint is complete. */
export class ModelBuilder {
  readonly proto: CpModelProto = {
    variables: [],
    constraints: [],
    objective: { vars: [], coeffs: [], offset: 0, domain: [] },
    solutionHint: { vars: [], values: [] },
  };

  /** A whole number from `least` to `most`. @returns its index */
  variable(least: number, most: number, hint: number): number {
    const index = this.proto.variables.push({ domain: [least, most] }) - 1;
    this.proto.solutionHint.vars.push(index);
    this.proto.solutionHint.values.push(hint);
    return index;
  }

  expression(least: number, most: number, hint: number): CpExpression {
    return { vars: [this.variable(least, most, hint)], coeffs: [1], offset: 0 };
  }

  /** `later - earlier` is at least `least` and at most `most` (null: unbounded) when the literal is true. */
  distance(
    earlier: CpExpression,
    later: CpExpression,
    least: number,
    most: number | null,
    literal: number | null = null,
  ): void {
    const offset = later.offset - earlier.offset;
    const vars = [...later.vars, ...earlier.vars];
    if (vars.length === 0) return;
    this.proto.constraints.push({
      ...(literal === null ? {} : { enforcementLiteral: [literal] }),
      linear: {
        vars,
        coeffs: [...later.coeffs, ...earlier.coeffs.map((coefficient) => -coefficient)],
        domain: [least - offset, most === null ? unlimited : most - offset],
      },
    });
  }

  /** @returns its index among the constraints */
  interval({ start, size, end }: Interval, literal: number | null): number {
    const enforced = literal === null ? {} : { enforcementLiteral: [literal] };
    return this.proto.constraints.push({ ...enforced, interval: { start, size, end } }) - 1;
  }

  share(intervals: number[], capacity: number): void {
    if (intervals.length <= capacity) return;
    this.proto.constraints.push(
      capacity === 1
        ? { noOverlap: { intervals } }
        : {
            cumulative: {
              capacity: constant(capacity),
              intervals,
              demands: intervals.map(() => constant(1)),
            },
          },
    );
  }

  notAll(literals: number[]): void {
    this.proto.constraints.push({
      linear: { vars: literals, coeffs: literals.map(() => 1), domain: [0, literals.length - 1] },
    });
  }

  /** Selects one of several. @returns a literal for each */
  choice(count: number, hint: number): number[] {
    const literals = Array.from({ length: count }, (_, index) => this.variable(0, 1, Number(index === hint)));
    this.proto.constraints.push({ exactlyOne: { literals } });
    return literals;
  }
}

/** More than any sum of times, within the range of the solver and of exact numbers. */
const unlimited = 2 ** 52;
