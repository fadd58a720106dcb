import type { CpModelProto, CpResponse } from '@lab/scheduling';

/** The parameters of `SatParameters` that are used here. */
export interface CpSatParameters {
  numWorkers: 1;
  randomSeed: number;
  maxTimeInSeconds: number;
  optimizeWithLbTreeSearch?: boolean;
  linearizationLevel?: number;
}

/** The part of CP-SAT that is used here. A solve blocks its thread until its end and cannot be cancelled. */
export interface CpSat {
  solve(model: CpModelProto, parameters: CpSatParameters): Promise<CpResponse>;
}

/** The names of `CpSolverStatus` by number. The package gives either. */
const statuses = ['UNKNOWN', 'MODEL_INVALID', 'FEASIBLE', 'INFEASIBLE', 'OPTIMAL'] as const;

interface RawResponse {
  status?: number | string;
  solution?: (number | string | bigint)[];
  bestObjectiveBound?: number | string;
}

interface CpSatModule {
  CpSat: {
    createModel(model: CpModelProto): Promise<Uint8Array>;
    solve(model: Uint8Array, parameters: CpSatParameters): Promise<{ response: RawResponse | null }>;
  };
}

/** Loads CP-SAT in this process: hundreds of megabytes. @throws Error when the package is not installed */
export async function loadCpSat(): Promise<CpSat> {
  // An optional dependency. Its own declarations have 4,000 lines and would have to be installed for every
  // build.
  const name = 'or-tools-wasm/cp-sat';
  const { CpSat: raw } = (await import(name)) as CpSatModule;
  return {
    async solve(model, parameters) {
      const { response } = await raw.solve(await raw.createModel(model), parameters);
      const status = response?.status ?? 0;
      return {
        status: statuses.find((known, number) => status === known || status === number) ?? 'UNKNOWN',
        solution: (response?.solution ?? []).map(Number),
        bestObjectiveBound: Number(response?.bestObjectiveBound ?? Number.NEGATIVE_INFINITY),
      };
    },
  };
}
