import { z } from 'zod';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { askJson, isRefusal, PeerError, type GivenFile, type Link } from '../nodes/index.js';

const health = z.object({
  name: z.string(),
  robot_model: z.string().nullish(),
  robot_serial: z.string().nullish(),
  api_version: z.string().nullish(),
  system_version: z.string().nullish(),
});
export type RobotHealth = z.output<typeof health>;

const occurrence = z.object({ errorType: z.string().nullish(), detail: z.string().nullish() });

const run = z.object({
  id: z.string(),
  status: z.string(),
  current: z.boolean().default(false),
  protocolId: z.string().nullish(),
  startedAt: z.string().nullish(),
  completedAt: z.string().nullish(),
  actions: z
    .array(z.object({ actionType: z.string() }))
    .nullish()
    .transform((given) => given ?? []),
  errors: z.array(occurrence).default([]),
});
export type Run = z.output<typeof run>;

const command = z.object({
  id: z.string(),
  key: z.string().nullish(),
  commandType: z.string(),
  status: z.enum(['queued', 'running', 'succeeded', 'failed']),
  intent: z.string().nullish(),
  params: z.record(z.string(), z.json()).default({}),
  result: z.json().optional(),
  error: occurrence.nullish(),
  failedCommandId: z.string().nullish(),
});
export type Command = z.output<typeof command>;

const link = z.object({ meta: z.object({ commandId: z.string() }) }).nullish();

const commandPage = z.object({
  data: z.array(command),
  meta: z.object({ totalLength: z.number() }),
  links: z
    .object({ currentlyRecoveringFrom: link })
    .nullish()
    .transform((given) => given ?? {}),
});

const analysisSummary = z.object({ id: z.string(), status: z.string() });
const protocol = z.object({ id: z.string(), analysisSummaries: z.array(analysisSummary).default([]) });
export type Protocol = z.output<typeof protocol>;

const analysis = z.object({
  id: z.string(),
  status: z.string(),
  result: z.string().nullish(),
  errors: z.array(occurrence).default([]),
});
export type Analysis = z.output<typeof analysis>;

/** States in which a run is over. */
export const runEnds: ReadonlySet<string> = new Set(['succeeded', 'failed', 'stopped']);

export type RunAction =
  'play' | 'pause' | 'stop' | 'resume-from-recovery' | 'resume-from-recovery-assuming-false-positive';

/** What a new run is of. */
export interface NewRun {
  protocolId?: string | undefined;
  labwareOffsets?: JsonObject[] | undefined;
  runTimeParameterValues?: JsonObject | undefined;
}

export interface NewCommand {
  commandType: string;
  params: JsonObject;
  key: string;
  intent?: string | undefined;
  failedCommandId?: string | undefined;
}

const uploadMs = 300_000;
const largestAnalysis = 200_000_000;
/** Commands that a look at the latest ones covers. */
const pageLength = 50;

/**
 * The HTTP API of an OT-2 or a Flex.
 * Source: `robot-server` of github.com/Opentrons/opentrons, and the vendor's documentation of the API. A robot also serves an OpenAPI
 * document (`/openapi.json`), which was not compared with this client.
 */
export class Robot {
  constructor(private readonly http: Link) {}

  health(): Promise<RobotHealth> {
    return this.#get(health, '/health');
  }

  /** What the robot says under a path, of its own form. */
  async tell(path: string, query: Record<string, string> = {}): Promise<JsonValue> {
    return (await askJson(this.http, { method: 'GET', path, query })) as JsonValue;
  }

  async setLights(on: boolean): Promise<void> {
    await askJson(this.http, { method: 'POST', path: '/robot/lights', json: { on } });
  }

  /** Uploads a protocol with its labware. The same files again give the same protocol. */
  async upload(files: readonly GivenFile[], parameters: JsonObject | undefined): Promise<Protocol> {
    const form = new FormData();
    for (const { name, bytes } of files) form.append('files', new Blob([bytes]), name);
    if (parameters !== undefined) form.append('runTimeParameterValues', JSON.stringify(parameters));
    const answer = await askJson(this.http, { method: 'POST', path: '/protocols', form, withinMs: uploadMs });
    return dataOf(protocol, answer, '/protocols');
  }

  async protocol(id: string): Promise<Protocol> {
    const path = `/protocols/${encodeURIComponent(id)}`;
    return dataOf(protocol, await askJson(this.http, { method: 'GET', path }), path);
  }

  async analysis(protocolId: string, id: string): Promise<Analysis> {
    const path = `/protocols/${encodeURIComponent(protocolId)}/analyses/${encodeURIComponent(id)}`;
    return dataOf(
      analysis,
      await askJson(this.http, { method: 'GET', path, largest: largestAnalysis }),
      path,
    );
  }

  /** Creates a run, which moves nothing. */
  async create(given: NewRun): Promise<Run> {
    const data = present({ ...given });
    return dataOf(run, await askJson(this.http, { method: 'POST', path: '/runs', json: { data } }), '/runs');
  }

  async run(id: string): Promise<Run> {
    const path = runPath(id);
    return dataOf(run, await askJson(this.http, { method: 'GET', path }), path);
  }

  /** The run that controls the robot; undefined: none does. */
  async currentRun(): Promise<Run | undefined> {
    const path = '/runs';
    const answer = await askJson(this.http, { method: 'GET', path, query: { pageLength: '20' } });
    return dataOf(z.array(run), answer, path).find(({ current }) => current);
  }

  async act(id: string, actionType: RunAction): Promise<void> {
    const path = `${runPath(id)}/actions`;
    await askJson(this.http, { method: 'POST', path, json: { data: { actionType } } });
  }

  async addOffset(id: string, offset: JsonObject): Promise<JsonValue> {
    const path = `${runPath(id)}/labware_offsets`;
    const answer = await askJson(this.http, { method: 'POST', path, json: { data: offset } });
    return dataOf(z.json(), answer, path);
  }

  /** Enqueues a command, without waiting for its end. @param runId null: outside of runs */
  async enqueue(runId: string | null, given: NewCommand): Promise<Command> {
    const path = commandsPath(runId);
    const data = present({ ...given });
    return dataOf(command, await askJson(this.http, { method: 'POST', path, json: { data } }), path);
  }

  async command(runId: string | null, id: string): Promise<Command> {
    const path = `${commandsPath(runId)}/${encodeURIComponent(id)}`;
    return dataOf(command, await askJson(this.http, { method: 'GET', path }), path);
  }

  /** The latest commands, the newest last, and the one whose failure the run waits to recover from. */
  async latestCommands(
    runId: string | null,
  ): Promise<{ commands: Command[]; recovering: string | undefined }> {
    const path = commandsPath(runId);
    const page = async (query: Record<string, string>): Promise<z.output<typeof commandPage>> =>
      checked(commandPage, await askJson(this.http, { method: 'GET', path, query }), path);
    const { meta, links } = await page({ cursor: '0', pageLength: '1' });
    const cursor = Math.max(0, meta.totalLength - pageLength);
    const { data } = await page({ cursor: String(cursor), pageLength: String(pageLength) });
    return { commands: data, recovering: links.currentlyRecoveringFrom?.meta.commandId };
  }

  /** @returns undefined when the robot does not know it */
  async known<Value>(read: Promise<Value>): Promise<Value | undefined> {
    return read.catch((error: unknown) => {
      if (isRefusal(error) && error.status === 404) return undefined;
      throw error;
    });
  }

  async #get<Schema extends z.ZodType>(schema: Schema, path: string): Promise<z.output<Schema>> {
    return checked(schema, await askJson(this.http, { method: 'GET', path }), path);
  }
}

/** The errors of a run or an analysis in one text. */
export function textOf(errors: readonly z.output<typeof occurrence>[]): string {
  return errors
    .map(({ errorType, detail }) =>
      [errorType, detail].filter((text) => text != null && text !== '').join(': '),
    )
    .join('; ');
}

/** Whether somebody has let the run begin. */
export const isPlayed = ({ actions, status }: Run): boolean =>
  status !== 'idle' || actions.some(({ actionType }) => actionType === 'play');

const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;
const commandsPath = (runId: string | null): string => `${runId === null ? '' : runPath(runId)}/commands`;

function present(given: Record<string, JsonValue | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

function dataOf<Schema extends z.ZodType>(schema: Schema, answer: unknown, path: string): z.output<Schema> {
  return checked(schema, checked(z.object({ data: z.unknown() }), answer, path).data, path);
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new PeerError(
    `the answer to ${path} is not that of an Opentrons robot (${first?.path.join('.') ?? ''}: ${first?.message ?? ''})`,
    true,
  );
}
