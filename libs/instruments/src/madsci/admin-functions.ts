import type { AddedFunction, DeviceFunctionKind, JsonValue } from '@lab/sdk';
import type { MadsciInfo, MadsciNode } from './madsci-node.js';

/** The admin commands that people need, with what they do. `safety_stop` and `cancel` belong to `_stop`. */
const commands: Readonly<
  Record<string, { kind: 'effect' | 'idempotent'; beside?: true; description: string }>
> = {
  reset: { kind: 'effect', description: 'Shuts the node down and starts it again, which may move it' },
  lock: { kind: 'idempotent', beside: true, description: 'Makes the node refuse actions' },
  unlock: { kind: 'idempotent', beside: true, description: 'Lets the node take actions again' },
  pause: { kind: 'idempotent', beside: true, description: 'Pauses the action in progress' },
  resume: { kind: 'idempotent', beside: true, description: 'Lets a paused action go on' },
};

/**
 * Functions for the admin commands that the node has, and for its status and state, each with `node_` before its name.
 *
 * @param run runs a command
 */
export function adminFunctions(
  node: MadsciNode,
  { capabilities }: MadsciInfo,
  run: (command: string, kind: DeviceFunctionKind) => Promise<JsonValue>,
): Record<string, AddedFunction> {
  const offered = Object.entries(commands).filter(([name]) => capabilities.admin_commands.includes(name));
  return {
    node_status: {
      kind: 'query',
      description: 'Tells whether the node is ready, and why not',
      parameters: {},
      call: () => node.status(),
    },
    node_state: {
      kind: 'query',
      description: 'Tells the state that the author of the node reports',
      parameters: {},
      call: () => node.state(),
    },
    ...Object.fromEntries(
      offered.map(([name, { kind, beside, description }]): [string, AddedFunction] => [
        `node_${name}`,
        {
          kind,
          description,
          parameters: {},
          ...(beside === undefined ? {} : { beside }),
          call: () => run(name, kind),
        },
      ]),
    ),
  };
}
