import { ServiceError, type Trial } from '@lab/contracts';
import type { Optimizers } from '@lab/engine';

/**
 * Optimizers in a simulation. Nobody can know what they would propose, and the proposed values hardly change how long
 * instruments are in use. So each coming run gets the row of the latest trial of its campaign.
 */
export function simulatedOptimizers(): Optimizers {
  let sessions = 0;
  return {
    describe: () => Promise.reject(new ServiceError('internal', 'no optimizer is made in a simulation')),
    open() {
      let latest: Trial | undefined;
      return Promise.resolve({
        id: `simulated-${(sessions += 1)}`,
        worker: 'simulation',
        tell(trials) {
          for (const trial of trials) if (trial.number >= (latest?.number ?? 0)) latest = trial;
          return Promise.resolve();
        },
        propose(runs) {
          const { inputs } = latest ?? {};
          if (inputs === undefined)
            return Promise.reject(
              new ServiceError('optimizer_error', 'no trial is known whose row could be repeated'),
            );
          const trials = runs.map(({ number, run }): Trial => ({
            number,
            run,
            source: 'optimizer',
            state: 'proposed',
            inputs,
            outputs: null,
            additional: {},
            note: {},
          }));
          return Promise.resolve({ trials, insights_used: [] });
        },
        configure: (params) => Promise.resolve(params),
        best: () => Promise.resolve([]),
        explain: () => Promise.resolve(null),
        close: () => Promise.resolve(),
        onLost: () => undefined,
      });
    },
    onArrival: () => () => undefined,
  };
}
