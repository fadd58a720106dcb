import { createRequire } from 'node:module';
import type { ServiceName } from '@lab/contracts';

/** What a service is given beyond the environment that all of them share. */
export interface ServiceDeclaration {
  name: ServiceName;
  needs: readonly ('broker' | 'database' | 'uploadSecret' | 'secretsKey' | 'bucketKeys')[];
  /** Services of a lower number are stopped earlier; those of the same number together. */
  stopOrder: number;
  /** How long it may take to stop before it is killed, in milliseconds: longer than it takes by its own deadlines. */
  stopMs: number;
}

/** Longer than the shutdown deadline of `runService`. */
const usualStopMs = 17_000;
/** An agent ends its tasks and lets its devices clean up. */
const agentStopMs = 60_000;

export const serviceDeclarations: readonly ServiceDeclaration[] = [
  { name: 'orchestrator', needs: ['broker', 'database', 'uploadSecret'], stopOrder: 3, stopMs: usualStopMs },
  {
    name: 'gateway',
    needs: ['broker', 'database', 'uploadSecret', 'secretsKey', 'bucketKeys'],
    stopOrder: 1,
    stopMs: usualStopMs,
  },
  { name: 'agent', needs: ['broker'], stopOrder: 2, stopMs: agentStopMs },
  { name: 'optimizer', needs: ['broker', 'secretsKey'], stopOrder: 2, stopMs: usualStopMs },
];

/** The built program of a service. */
export function modulePath(service: ServiceName): string {
  return createRequire(import.meta.url).resolve(`@lab/${service}`);
}
