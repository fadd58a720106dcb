import type { JsonObject, JsonValue } from '@lab/sdk';
import type { FunctionChange, FunctionChanges, Link, LinkAnswer, LinkRequest } from '../nodes/index.js';

interface TwinAction {
  name: string;
  /** When it ends, in milliseconds since the process began; undefined: it has not started. */
  endsAt: number | undefined;
  cancelled: boolean;
}

/**
 * A node that exists only in the process of the device. Its actions are the entries of `functions`; each does what its `twin`
 * says. It answers the requests that a node answers, so everything but the network is the same.
 */
export class MadsciTwin implements Link {
  readonly #actions = new Map<string, TwinAction>();
  #locked = false;

  /** @throws TypeError when there is no function */
  constructor(private readonly functions: FunctionChanges) {
    if (Object.keys(functions).length === 0)
      throw new TypeError(
        'init_parameters.functions is empty: with simulate: true it lists the actions, because no node tells of them',
      );
  }

  ask(request: LinkRequest): Promise<LinkAnswer> {
    const { status, value } = this.#answer(request);
    return Promise.resolve({ status, body: Buffer.from(JSON.stringify(value)) });
  }

  #answer({ method, path }: LinkRequest): { status: number; value: JsonValue } {
    const [, first = '', name = '', id = '', what = ''] = path.split('/').map(decodeURIComponent);
    if (first === 'info') return ok(this.#info());
    if (first === 'status') return ok(this.#status());
    if (first === 'state') return ok({ simulated: true });
    if (first === 'admin') return ok(this.#command(name));
    if (first === 'action' && method === 'POST' && id === '') return ok({ action_id: this.#create(name) });
    const action = this.#actions.get(id);
    if (first !== 'action' || action === undefined)
      return { status: 404, value: { detail: `the twin has no ${path}` } };
    if (what === 'start') {
      action.endsAt = now() + (this.functions[name]?.twin?.takes ?? 0) * 1000;
      return ok(this.#result(action));
    }
    if (what === 'status') return ok(this.#stateOf(action));
    return what === 'result' ? ok(this.#result(action)) : ok({ status: 'uploaded' });
  }

  #create(name: string): string {
    const id = `twin-${this.#actions.size + 1}`;
    this.#actions.set(id, { name, endsAt: undefined, cancelled: false });
    return id;
  }

  #info(): JsonObject {
    const actions = Object.fromEntries(
      Object.entries(this.functions).map(([name, { parameters = {} }]): [string, JsonValue] => [
        name,
        { name, args: argumentsOf(parameters) },
      ]),
    );
    return {
      node_name: 'twin',
      node_id: null,
      module_name: 'twin',
      module_version: null,
      capabilities: { admin_commands: ['cancel', 'lock', 'unlock'] },
      actions,
    };
  }

  #status(): JsonObject {
    const running = [...this.#actions].filter(([, each]) => this.#stateOf(each) === 'running');
    return {
      ready: !this.#locked,
      locked: this.#locked,
      description: this.#locked ? 'Node is locked' : 'Node is ready',
      running_actions: running.map(([id]) => id),
    };
  }

  #command(name: string): JsonObject {
    if (name === 'lock' || name === 'unlock') this.#locked = name === 'lock';
    if (name === 'cancel')
      for (const action of this.#actions.values())
        if (this.#stateOf(action) === 'running') action.cancelled = true;
    return { success: true, errors: [] };
  }

  #stateOf({ name, endsAt, cancelled }: TwinAction): string {
    if (cancelled) return 'cancelled';
    if (endsAt === undefined) return 'not_started';
    if (now() < endsAt) return 'running';
    return this.functions[name]?.twin?.fails === undefined ? 'succeeded' : 'failed';
  }

  #result(action: TwinAction): JsonObject {
    const twin = this.functions[action.name]?.twin;
    const status = this.#stateOf(action);
    return {
      status,
      errors: status === 'failed' ? [{ message: twin?.fails ?? '' }] : [],
      json_result: status === 'succeeded' ? (twin?.result ?? null) : null,
      files: null,
    };
  }
}

/** Declared parameters as a node tells of its arguments. */
function argumentsOf(parameters: NonNullable<FunctionChange['parameters']>): JsonObject {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { type, optional, value }]) => [
      name,
      { name, argument_type: String(type), required: optional !== true && value === undefined },
    ]),
  );
}

const now = (): number => performance.now();
const ok = (value: JsonValue): { status: number; value: JsonValue } => ({ status: 200, value });
