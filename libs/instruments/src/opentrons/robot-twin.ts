import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '@lab/sdk';
import type { Link, LinkAnswer, LinkRequest } from '../nodes/index.js';
import type { OpentronsSettings } from './settings.js';

interface TwinRun {
  id: string;
  protocolId: string | null;
  status: string;
  actions: string[];
  /** Milliseconds of work that are left. */
  leftMs: number;
  /** When it was last looked at, in milliseconds since the process began. */
  seenAt: number;
  asks: boolean;
  commands: TwinCommand[];
}

type TwinCommand = JsonObject & { id: string; key: string; status: string };

type Answer = [status: number, value: JsonValue];

const pickUp = 'twin-step';

/**
 * A robot that exists only in the process of the device. It has the states of runs, and no deck: every step succeeds, except
 * the first one of a run when `twin.asks` says so. It answers the requests that a robot answers, so everything but the network
 * is the same.
 */
export class RobotTwin implements Link {
  readonly #runs = new Map<string, TwinRun>();
  readonly #protocols = new Map<string, string>();
  readonly #commands: TwinCommand[] = [];
  #lights = false;

  constructor(private readonly twin: OpentronsSettings['twin']) {}

  ask(request: LinkRequest): Promise<LinkAnswer> {
    const [status, value] = this.#answer(request);
    return Promise.resolve({ status, body: Buffer.from(JSON.stringify(value)) });
  }

  #answer(request: LinkRequest): Answer {
    const { method, path, json } = request;
    const [, area = '', id = '', part = '', item = ''] = path.split('/').map(decodeURIComponent);
    const given = json !== undefined && isObject(json) ? json : {};
    const data = isObject(given['data']) ? given['data'] : {};
    switch (area) {
      case 'health':
        return [200, { name: 'twin', robot_model: 'twin', robot_serial: 'twin', api_version: 'twin' }];
      case 'robot':
        if (method === 'POST') this.#lights = given['on'] === true;
        return [200, { on: this.#lights }];
      case 'protocols':
        return this.#protocol(request, id, item);
      case 'runs':
        return id === '' ? this.#allRuns(method, data) : this.#oneRun(method, id, part, item, data);
      case 'commands':
        return this.#command(this.#commands, method, id, data);
      default:
        return [200, { data: [] }];
    }
  }

  #protocol({ method, form }: LinkRequest, id: string, analysis: string): Answer {
    const done = { id: 'analysis', status: 'completed', result: 'ok', errors: [] };
    if (analysis !== '') return [200, { data: done }];
    if (method === 'GET' && id === '')
      return [200, { data: [...this.#protocols].map(([name, own]) => ({ id: own, files: [{ name }] })) }];
    const name = (form?.get('files') as File | null | undefined)?.name ?? 'protocol';
    const own = id !== '' ? id : (this.#protocols.get(name) ?? randomUUID());
    if (method === 'POST') this.#protocols.set(name, own);
    return [method === 'POST' ? 201 : 200, { data: { id: own, analysisSummaries: [done] } }];
  }

  #allRuns(method: string, data: JsonObject): Answer {
    if (method === 'GET') return [200, { data: [...this.#runs.values()].map((run) => this.#shown(run)) }];
    const current = this.#latest;
    if (
      current !== undefined &&
      !['idle', 'succeeded', 'failed', 'stopped'].includes(this.#advance(current).status)
    )
      return [409, { errors: [{ title: 'Run Already Active', detail: `the run ${current.id} is active` }] }];
    const run: TwinRun = {
      id: randomUUID(),
      protocolId: typeof data['protocolId'] === 'string' ? data['protocolId'] : null,
      status: 'idle',
      actions: [],
      leftMs: this.twin.takes * 1000,
      seenAt: performance.now(),
      asks: this.twin.asks,
      commands: [],
    };
    this.#runs.set(run.id, run);
    return [201, { data: this.#shown(run) }];
  }

  #oneRun(method: string, id: string, part: string, item: string, data: JsonObject): Answer {
    const run = this.#runs.get(id);
    if (run === undefined) return [404, { errors: [{ title: 'Run Not Found', detail: id }] }];
    this.#advance(run);
    if (part === 'actions') return this.#act(run, String(data['actionType']));
    if (part === 'commands') {
      const [status, value] = this.#command(run.commands, method, item, data);
      const links: JsonObject = awaits(run)
        ? { currentlyRecoveringFrom: { meta: { commandId: pickUp } } }
        : {};
      return [status, isObject(value) ? { ...value, links } : value];
    }
    if (part !== '') return [201, { data: { id: randomUUID(), ...data } }];
    return [200, { data: this.#shown(run) }];
  }

  #act(run: TwinRun, action: string): Answer {
    const next: Record<string, string> = {
      play: 'running',
      pause: 'paused',
      stop: 'stopped',
      'resume-from-recovery': 'running',
      'resume-from-recovery-assuming-false-positive': 'running',
    };
    const fits =
      action === 'stop' ||
      (action === 'play' && ['idle', 'paused'].includes(run.status)) ||
      (action === 'pause' && run.status === 'running') ||
      (action.startsWith('resume') && awaits(run));
    if (!fits)
      return [409, { errors: [{ title: 'Run Action Not Allowed', detail: `the run is ${run.status}` }] }];
    run.actions.push(action);
    run.status = next[action] ?? run.status;
    run.seenAt = performance.now();
    if (run.asks && action === 'play') {
      run.asks = false;
      run.status = 'awaiting-recovery';
      const error = { errorType: 'tipPhysicallyMissing', detail: 'No Tip Detected' };
      const step = { id: pickUp, key: pickUp, commandType: 'pickUpTip', status: 'failed', params: {}, error };
      run.commands.push(step);
    }
    return [201, { data: { id: randomUUID(), actionType: action } }];
  }

  #command(commands: TwinCommand[], method: string, id: string, data: JsonObject): Answer {
    if (method === 'POST') {
      const made = {
        result: {},
        params: {},
        ...data,
        key: String(data['key']),
        id: randomUUID(),
        status: 'succeeded',
      };
      commands.push(made);
      return [201, { data: made }];
    }
    if (id === '') return [200, { data: commands, meta: { cursor: 0, totalLength: commands.length } }];
    const found = commands.find((each) => each.id === id);
    return found === undefined
      ? [404, { errors: [{ title: 'Command Not Found', detail: id }] }]
      : [200, { data: found }];
  }

  /** Lets the time since the last look pass. */
  #advance(run: TwinRun): TwinRun {
    const now = performance.now();
    if (run.status === 'running') {
      run.leftMs -= now - run.seenAt;
      if (run.leftMs <= 0) run.status = 'succeeded';
    }
    run.seenAt = now;
    return run;
  }

  get #latest(): TwinRun | undefined {
    return [...this.#runs.values()].at(-1);
  }

  #shown(run: TwinRun): JsonObject {
    const { id, protocolId, status, actions } = this.#advance(run);
    return {
      id,
      protocolId,
      status,
      current: run === this.#latest,
      actions: actions.map((actionType) => ({ actionType })),
      errors: [],
    };
  }
}

const awaits = ({ status }: TwinRun): boolean => status === 'awaiting-recovery';

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
