import { ServiceError, type SimulatedScheduler } from '@lab/contracts';
import { GreedyPolicy, type Policy } from '@lab/scheduling';

/** The policy of a simulation. @throws ServiceError `invalid` when it cannot be simulated */
export function policyOf(scheduler: SimulatedScheduler): Policy {
  if ((scheduler.type ?? 'greedy') === 'greedy') return new GreedyPolicy();
  throw new ServiceError('invalid', 'The scenario is not valid.', {
    faults: [
      {
        path: 'scheduler.type',
        code: 'not_supported',
        message: 'only greedy can be simulated in this version',
      },
    ],
  });
}
