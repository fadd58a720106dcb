import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@lab/contracts';

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

/**
 * The bundle of a program, which starts in half the time, unless the compiler has written something since it was made.
 *
 * @param program the compiled program
 * @param root folder of the workspace, with `libs` and `apps`
 */
export function quickest(program: string, root: string): string {
  const bundle = join(dirname(program), 'bundle', basename(program));
  // The npm package has only bundles.
  if (!existsSync(program) && existsSync(bundle)) return bundle;
  const parts = ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((part) => join(root, folder, part)),
  );
  const compiledAt = Math.max(...parts.map((part) => writtenAt(join(part, 'dist', '.tsbuildinfo'))));
  return writtenAt(bundle) > compiledAt ? bundle : program;
}

/** When a file was last written, in milliseconds since 1970; 0 when there is none. */
function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
