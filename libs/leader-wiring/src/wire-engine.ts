import { Engine } from '@lab/engine';
import type { Bus } from '@lab/messaging';
import { agentsOverBus, type Signer } from './agents-over-bus.js';
import { storeUnder, type Lease } from './lease.js';
import type { OptimizerDirectory } from './optimizer-directory.js';
import { optimizersOverBus } from './optimizers-over-bus.js';
import { tellingTaken } from './taken-devices.js';

type EngineParts = ConstructorParameters<typeof Engine>;

/** What an engine needs beside the bus, and its limits. */
export interface EngineSurroundings {
  bus: Bus;
  optimizers: OptimizerDirectory;
  /** Undefined: the agents know no authority. */
  signer?: Signer | undefined;
  ports: Omit<EngineParts[0], 'agents' | 'optimizers'>;
  limits?: Omit<NonNullable<EngineParts[1]>, 'onDeposed'>;
}

/**
 * The engine of one leadership: it commits and sends only while the lease is held, and gives the lease up when a commit
 * shows that another orchestrator leads. The orchestrator process and the fault simulator both call this function.
 */
export function engineUnder(
  lease: Lease,
  { bus, optimizers, signer, ports, limits }: EngineSurroundings,
): Engine {
  return new Engine(
    {
      ...ports,
      store: storeUnder(lease, ports.store),
      measures: tellingTaken(bus, ports.measures),
      agents: agentsOverBus(bus, lease, signer),
      optimizers: optimizersOverBus(bus, lease, optimizers, ports),
    },
    { ...limits, onDeposed: () => lease.lose() },
  );
}
