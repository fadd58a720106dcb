import type { Fault, FromOptimizer } from '@lab/contracts';

type Failure = FromOptimizer & { type: 'failure' };

/** Inputs do not fit an optimizer. Each fault has its path. It is no failure of the optimizer's code. */
export class Unfit extends Error {
  override readonly name = 'Unfit';

  constructor(
    message: string,
    readonly faults: Failure['faults'],
  ) {
    super(message);
  }
}

/** Returns the faults of an error `invalid` of the service, made with any copy of its class; undefined: it is another error. */
export function faultsOf(error: unknown): readonly Fault[] | undefined {
  if (!(error instanceof Error) || error.name !== 'ServiceError') return undefined;
  const { code, faults } = error as Error & { code?: unknown; faults?: unknown };
  return code === 'invalid' && Array.isArray(faults) ? (faults as Fault[]) : undefined;
}

/** A fault in the form in which the process of an optimizer sends it. */
export function plainFault({ path, code, message, hint }: Fault): Failure['faults'][number] {
  return { path, code, message, ...(hint === undefined ? {} : { hint }) };
}
