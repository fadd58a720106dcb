/**
 * The used part of the CP-SAT model, in the field names of its JSON form (`CpModelProto` of
 * `ortools/sat/cp_model.proto`). A negative literal `-x - 1` is the negation of variable `x`.
 */
export interface CpModelProto {
  variables: { domain: number[] }[];
  constraints: CpConstraint[];
  objective: { vars: number[]; coeffs: number[]; offset: number; domain: number[] };
  solutionHint: { vars: number[]; values: number[] };
}

/** `sum of coeffs x vars + offset`; an interval takes expressions with at most one variable. */
export interface CpExpression {
  vars: number[];
  coeffs: number[];
  offset: number;
}

export interface CpConstraint {
  /** The constraint applies when all of these literals are true; an interval is then present. */
  enforcementLiteral?: number[];
  interval?: { start: CpExpression; size: CpExpression; end: CpExpression };
  /** Indexes of the constraints that declare the intervals. */
  noOverlap?: { intervals: number[] };
  cumulative?: { capacity: CpExpression; intervals: number[]; demands: CpExpression[] };
  linear?: { vars: number[]; coeffs: number[]; domain: number[] };
  exactlyOne?: { literals: number[] };
}

/** The part of `CpSolverResponse` that is read. */
export interface CpResponse {
  status: 'OPTIMAL' | 'FEASIBLE' | 'INFEASIBLE' | 'MODEL_INVALID' | 'UNKNOWN';
  /** A value for each variable; empty without a solution. */
  solution: readonly number[];
  bestObjectiveBound: number;
}
