import type { LabSchedule, Trial } from '@lab/contracts';
import type { Optimizers, OptimizerSession } from '@lab/engine';
import { BayesianSequentialOptimizer, type BayesianArguments } from '@lab/optimization';

/** Optimizers of simulated campaigns: the real one, in this process and without a worker. */
export function optimizersOf(args: BayesianArguments): Optimizers {
  const made = (): BayesianSequentialOptimizer => new BayesianSequentialOptimizer(args);
  return {
    describe() {
      const optimizer = made();
      return Promise.resolve({
        input_names: optimizer.get_input_names(),
        output_names: optimizer.get_output_names(),
        additional_names: [],
        fields: [],
        runtime_params: optimizer.get_runtime_params(),
        arguments: {},
      });
    },
    open: () => Promise.resolve(sessionOf(made())),
    onArrival: () => () => undefined,
  };
}

function sessionOf(optimizer: BayesianSequentialOptimizer): OptimizerSession {
  const known = new Map<number, Trial>();
  return {
    id: 'simulated',
    worker: 'simulation',
    tell(trials) {
      optimizer.report_details(trials);
      for (const trial of trials) {
        const { number, run, state, inputs, outputs } = trial;
        if (state === 'measured' && outputs !== null) optimizer.report([inputs], [outputs], [run]);
        else if (state === 'failed') optimizer.report_failed([inputs], [run]);
        else if (!known.has(number)) optimizer.report_started([inputs], [run]);
        known.set(number, trial);
      }
      return Promise.resolve();
    },
    propose(runs, _insights, schedule?: LabSchedule) {
      const missing = runs.filter(({ number }) => !known.has(number));
      if (missing.length > 0) {
        optimizer.report_schedule(schedule ?? null);
        const rows = optimizer.sample(
          missing.length,
          missing.map(({ run }) => run),
        );
        const account = optimizer.last_sample();
        missing.forEach(({ number, run }, i) =>
          known.set(number, {
            ...{ number, run, source: 'optimizer', state: 'proposed', inputs: rows[i]! },
            ...{ outputs: null, additional: {}, note: account.rows?.[i]?.note ?? {} },
          }),
        );
      }
      return Promise.resolve({ trials: runs.map(({ number }) => known.get(number)!), insights_used: [] });
    },
    configure: (params) => Promise.resolve(params),
    best: () => Promise.resolve(optimizer.get_optimal_solutions()),
    explain: () => Promise.resolve(null),
    close: () => Promise.resolve(),
    onLost: () => undefined,
  };
}
