import { createRequire } from 'node:module';
import type { ServiceName } from '@lab/contracts';

/** What a service is given beyond the environment that all of them share. */
export interface ServiceDeclaration {
  name: ServiceName;
  needs: readonly ('broker' | 'database' | 'uploadSecret')[];
  /** Services of a lower number are stopped earlier; those of the same number together. */
  stopOrder: number;
}

export const serviceDeclarations: readonly ServiceDeclaration[] = [
  { name: 'orchestrator', needs: ['broker', 'database', 'uploadSecret'], stopOrder: 3 },
  { name: 'gateway', needs: ['broker', 'database', 'uploadSecret'], stopOrder: 1 },
  { name: 'agent', needs: ['broker'], stopOrder: 2 },
  { name: 'optimizer', needs: ['broker'], stopOrder: 2 },
];

/** The built program of a service. */
export function modulePath(service: ServiceName): string {
  return createRequire(import.meta.url).resolve(`@lab/${service}`);
}
