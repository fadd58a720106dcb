import createGlpk from 'glpk.js/node';

/** `rows[i].lower <= sum rows[i].coefficients[j] * x[j] <= rows[i].upper`; infinite where there is no bound. */
export interface Row {
  coefficients: Float64Array;
  lower: number;
  upper: number;
}

/** A linear program over `n` variables, some of which may be integers. */
export interface LinearProgram {
  direction: 'minimize' | 'maximize';
  /** Length `n`, like the bounds. */
  objective: Float64Array;
  lower: Float64Array;
  upper: Float64Array;
  rows: readonly Row[];
  /** Positions of the integer variables; absent: none. */
  whole?: readonly number[];
}

export type LinearOutcome =
  | { status: 'optimal'; x: Float64Array; value: number }
  /** Some point satisfies the rows; the best one was not found in time. */
  | { status: 'feasible'; x: Float64Array; value: number }
  | { status: 'infeasible' }
  | { status: 'unbounded' }
  /** Nothing was found in time, or the numbers are too badly scaled. */
  | { status: 'unknown' };

/** Seconds per program; GLPK counts whole seconds. */
const timeLimitS = 1;

const glpk = await createGlpk();

type Result = ReturnType<typeof glpk.solve>['result'];

/**
 * Solves a linear program by GLPK: the simplex method, with branch and bound for integers. Rows hold to about 1e-9 of
 * their scale, integers to 1e-5; callers round and verify. The same program has the same outcome, unless its time ends.
 */
export function solveLinear(program: LinearProgram): LinearOutcome {
  // The presolver does not tell infeasible from unbounded, so it is used only where the plain method fails, and by
  // branch and bound, which needs it to solve the first relaxation.
  if (program.whole !== undefined && program.whole.length > 0) return outcome(program, run(program, true));
  const plain = outcome(program, run(program, false));
  return plain.status === 'unknown' ? outcome(program, run(program, true)) : plain;
}

function run(program: LinearProgram, presol: boolean): Result {
  const { objective, lower, upper, rows, whole = [] } = program;
  const names = Array.from(objective, (_, j) => `x${j}`);
  const terms = (coefficients: Float64Array) =>
    names.flatMap((name, j) => (coefficients[j] === 0 ? [] : [{ name, coef: coefficients[j]! }]));
  return glpk.solve(
    {
      name: 'lp',
      objective: {
        direction: program.direction === 'minimize' ? glpk.GLP_MIN : glpk.GLP_MAX,
        name: 'objective',
        vars: names.map((name, j) => ({ name, coef: objective[j]! })),
      },
      subjectTo: rows.map((row, i) => ({
        name: `r${i}`,
        vars: terms(row.coefficients),
        bnds: boundsOf(row.lower, row.upper),
      })),
      bounds: names.map((name, j) => ({ name, ...boundsOf(lower[j]!, upper[j]!) })),
      generals: whole.map((j) => names[j]!),
    },
    { msglev: glpk.GLP_MSG_OFF, presol, tmlim: timeLimitS },
  ).result;
}

function boundsOf(lower: number, upper: number): { type: number; lb: number; ub: number } {
  const lb = Number.isFinite(lower) ? lower : 0;
  const ub = Number.isFinite(upper) ? upper : 0;
  if (lower === upper) return { type: glpk.GLP_FX, lb, ub };
  if (Number.isFinite(lower)) return { type: Number.isFinite(upper) ? glpk.GLP_DB : glpk.GLP_LO, lb, ub };
  return { type: Number.isFinite(upper) ? glpk.GLP_UP : glpk.GLP_FR, lb, ub };
}

function outcome({ objective }: LinearProgram, result: Result): LinearOutcome {
  const found = (): { x: Float64Array; value: number } => ({
    x: Float64Array.from(objective, (_, j) => result.vars[`x${j}`]!),
    value: result.z,
  });
  switch (result.status) {
    case glpk.GLP_OPT:
      return { status: 'optimal', ...found() };
    case glpk.GLP_FEAS:
      return { status: 'feasible', ...found() };
    case glpk.GLP_NOFEAS:
      return { status: 'infeasible' };
    case glpk.GLP_UNBND:
      return { status: 'unbounded' };
    default:
      return { status: 'unknown' };
  }
}
