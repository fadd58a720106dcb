import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@lab/contracts';
import { quickest } from './quickest.js';

/** Settings of one service, beside the environment that all services share. */
export interface ServiceDeclaration {
  name: ServiceName;
  needs: readonly (
    | 'broker'
    | 'orchestratorDatabase'
    | 'gatewayDatabase'
    | 'uploadSecret'
    | 'actKey'
    | 'actPublicKey'
    | 'secretsKey'
    | 'bucketKeys'
    | 'clientSecret'
  )[];
  /** Services with a lower number stop earlier. Services with the same number stop together. */
  stopOrder: number;
  /** Milliseconds to stop before the service is killed: more than its own deadlines need. */
  stopMs: number;
  /** Size of the nursery of the garbage collector; see `ChildOptions.nurseryMb`. */
  nurseryMb?: number;
}

/** Longer than the shutdown deadline of `runService`. */
const usualStopMs = 17_000;
/** An agent ends its tasks and lets its devices clean up. */
const agentStopMs = 60_000;

export const serviceDeclarations: readonly ServiceDeclaration[] = [
  {
    name: 'orchestrator',
    needs: ['broker', 'orchestratorDatabase', 'uploadSecret', 'actPublicKey'],
    stopOrder: 3,
    stopMs: usualStopMs,
  },
  {
    name: 'gateway',
    needs: [
      'broker',
      'gatewayDatabase',
      'uploadSecret',
      'actKey',
      'secretsKey',
      'bucketKeys',
      'clientSecret',
    ],
    stopOrder: 1,
    stopMs: usualStopMs,
    // A request leaves more garbage here than in all other services together.
    nurseryMb: 8,
  },
  { name: 'agent', needs: ['broker'], stopOrder: 2, stopMs: agentStopMs },
  { name: 'optimizer', needs: ['broker', 'secretsKey'], stopOrder: 2, stopMs: usualStopMs },
];

/** Path of the program of a service. */
export function modulePath(service: ServiceName): string {
  const program = fileURLToPath(new URL(`../../../${service}/dist/main.js`, import.meta.url));
  return quickest(program, join(dirname(program), '../../..'));
}
