import { z } from 'zod';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { askJson, PeerError, type GivenFile, type Link } from '../nodes/index.js';

const argument = z.object({
  name: z.string(),
  description: z.string().nullish(),
  argument_type: z.string(),
  required: z.boolean(),
  default: z.json().nullish(),
});
export type MadsciArgument = z.output<typeof argument>;

const action = z.object({
  name: z.string(),
  description: z.string().default(''),
  args: z.record(z.string(), argument).default({}),
  locations: z.record(z.string(), argument).default({}),
  files: z.record(z.string(), argument).default({}),
});
export type MadsciAction = z.output<typeof action>;

const info = z.object({
  node_name: z.string(),
  node_id: z.string().nullish(),
  module_name: z.string().nullish(),
  module_version: z.string().nullish(),
  capabilities: z
    .object({ admin_commands: z.array(z.string()).default([]) })
    .nullish()
    .transform((given) => given ?? { admin_commands: [] }),
  actions: z.record(z.string(), action).default({}),
});
export type MadsciInfo = z.output<typeof info>;

const trouble = z.object({ message: z.string().nullish(), error_type: z.string().nullish() });
export type MadsciTrouble = z.output<typeof trouble>;

const status = z.object({
  ready: z.boolean(),
  busy: z.boolean().default(false),
  paused: z.boolean().default(false),
  locked: z.boolean().default(false),
  stopped: z.boolean().default(false),
  errored: z.boolean().default(false),
  disconnected: z.boolean().default(false),
  initializing: z.boolean().default(false),
  description: z.string().default(''),
  running_actions: z.array(z.string()).default([]),
  errors: z.array(trouble).default([]),
});
export type MadsciStatus = z.output<typeof status>;

const actionState = z.enum([
  'not_started',
  'not_ready',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'paused',
  'unknown',
]);
export type ActionState = z.output<typeof actionState>;

/** States in which an action is over. */
export const ended: ReadonlySet<ActionState> = new Set(['succeeded', 'failed', 'cancelled', 'not_ready']);

const result = z.object({
  status: actionState,
  errors: z.array(trouble).default([]),
  json_result: z.json().nullish(),
  /** Labels of the files; a single file has the label `file`. */
  files: z.array(z.string()).nullish(),
  datapoints: z.json().nullish(),
});
export type ActionResult = z.output<typeof result>;

const command = z.object({
  success: z.boolean(),
  errors: z.array(trouble).default([]),
  data: z.json().nullish(),
});

/** A file for an argument of an action. */
export interface Upload extends GivenFile {
  argument: string;
}

/** Milliseconds for an admin command: a reset starts the instrument again. */
const commandMs = 60_000;
/** Milliseconds and bytes for files. */
const filesMs = 600_000;
const largestArchive = 500_000_000;

/**
 * The REST interface of a node of MADSci 0.8.
 * Source: `rest_node_module.py` and `types/*.py` of github.com/AD-SDL/MADSci.
 */
export class MadsciNode {
  constructor(private readonly link: Link) {}

  async info(): Promise<MadsciInfo> {
    return this.#read(info, '/info');
  }

  async status(): Promise<MadsciStatus> {
    return this.#read(status, '/status');
  }

  /** The state as the author of the node reports it. */
  async state(): Promise<JsonValue> {
    return this.#read(z.json(), '/state');
  }

  /** Creates an action, which starts nothing. @returns its id */
  async create(name: string, args: JsonObject): Promise<string> {
    const path = `/action/${encodeURIComponent(name)}`;
    const made = await askJson(this.link, { method: 'POST', path, json: { args } });
    return checked(z.object({ action_id: z.string().min(1) }), made, path).action_id;
  }

  async upload(name: string, id: string, { argument: of, name: file, bytes }: Upload): Promise<void> {
    const form = new FormData();
    form.append('file', new Blob([bytes]), file);
    const path = `${pathOf(name, id)}/upload/${encodeURIComponent(of)}`;
    await askJson(this.link, { method: 'POST', path, form, withinMs: filesMs });
  }

  /** Starts a created action. The node answers after 0.5 s, because it waits for short actions. @returns its first state */
  async start(name: string, id: string): Promise<ActionResult> {
    const path = `${pathOf(name, id)}/start`;
    return checked(result, await askJson(this.link, { method: 'POST', path }), path);
  }

  /** @returns `unknown` when the node does not know the action, because it was restarted or the action was not started */
  async actionState(name: string, id: string): Promise<ActionState> {
    return this.#read(actionState, `${pathOf(name, id)}/status`);
  }

  async result(name: string, id: string): Promise<ActionResult> {
    return this.#read(result, `${pathOf(name, id)}/result`);
  }

  /** The files of a result as a ZIP archive. */
  async archive(name: string, id: string): Promise<Buffer> {
    const path = `${pathOf(name, id)}/download`;
    const answer = await this.link.ask({ method: 'GET', path, withinMs: filesMs, largest: largestArchive });
    if (answer.status !== 200)
      throw new PeerError(`GET ${path} was refused with ${answer.status}`, true, answer.status);
    return answer.body;
  }

  /** Runs an admin command. @throws Error when the node says that it failed */
  async command(name: string): Promise<JsonValue> {
    const path = `/admin/${name}`;
    const done = checked(
      command,
      await askJson(this.link, { method: 'POST', path, withinMs: commandMs }),
      path,
    );
    if (!done.success)
      throw new Error(`the node could not carry out ${name}: ${textOf(done.errors) || 'it gives no reason'}`);
    return done.data ?? null;
  }

  async #read<Schema extends z.ZodType>(schema: Schema, path: string): Promise<z.output<Schema>> {
    return checked(schema, await askJson(this.link, { method: 'GET', path }), path);
  }
}

/** The errors of a node in one text. */
export function textOf(errors: readonly MadsciTrouble[]): string {
  return errors
    .map(({ message, error_type: type }) => message ?? type ?? '')
    .filter((text) => text !== '')
    .join('; ');
}

const pathOf = (name: string, id: string): string =>
  `/action/${encodeURIComponent(name)}/${encodeURIComponent(id)}`;

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new PeerError(
    `the answer to ${path} is not that of a node of MADSci (${first?.path.join('.') ?? ''}: ${first?.message ?? ''})`,
    true,
  );
}
