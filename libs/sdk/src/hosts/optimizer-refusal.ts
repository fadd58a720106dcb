import type { Fault, FromOptimizer } from '@lab/contracts';

type Failure = FromOptimizer & { type: 'failure' };

/** What an optimizer was given does not fit, each thing with its path; as opposed to a failure of its code. */
export class Unfit extends Error {
  override readonly name = 'Unfit';

  constructor(
    message: string,
    readonly faults: Failure['faults'],
  ) {
    super(message);
  }
}

/** The faults of an error `invalid` of the service, whichever copy of its class it was made with; undefined: it is none. */
export function faultsOf(error: unknown): readonly Fault[] | undefined {
  if (!(error instanceof Error) || error.name !== 'ServiceError') return undefined;
  const { code, faults } = error as Error & { code?: unknown; faults?: unknown };
  return code === 'invalid' && Array.isArray(faults) ? (faults as Fault[]) : undefined;
}

/** A fault as a process of an optimizer sends it. */
export function plainFault({ path, code, message, hint }: Fault): Failure['faults'][number] {
  return { path, code, message, ...(hint === undefined ? {} : { hint }) };
}
