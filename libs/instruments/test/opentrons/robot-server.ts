import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve, type TestServer } from '../nodes/servers.js';

/**
 * A stand-in for `robot-server` of Opentrons, which is in no package registry. It is written by hand from the sources of
 * `robot-server` and the vendor's documentation of the API. No robot and no OpenAPI document of one was compared with it. It has the
 * paths, forms, states and refusals that the device uses, and no deck. A
 * run has the steps of its protocol, one line each: `wait MS`, or `fail NAME`, a step that fails until `mend()` is called.
 */
export class RobotServer {
  readonly requests: string[] = [];
  version = '';
  #server: TestServer | undefined;
  #runs = new Map<string, RunRecord>();
  #protocols = new Map<string, string>();
  #commands: CommandRecord[] = [];
  #mended = new Set<string>();
  #lights = false;
  /** Paths whose next answer is lost after the robot has acted. */
  readonly loseAnswer = new Set<string>();

  async start(): Promise<string> {
    this.#server = await serve((request, response) => void this.#serve(request, response));
    return this.#server.address;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  /** Lets a step succeed from now on. */
  mend(step: string): void {
    this.#mended.add(step);
  }

  /** What a restart of the robot leaves: the records of runs, none of which is current, and no commands. */
  restart(): void {
    for (const run of this.#runs.values()) run.current = false;
    this.#commands = [];
  }

  /** The door is opened and closed while the run waits for recovery. */
  useDoor(): void {
    for (const run of this.#runs.values())
      if (run.status === 'awaiting-recovery') run.status = 'awaiting-recovery-paused';
  }

  forget(): void {
    this.#runs.clear();
  }

  /** Ends a run before its time. */
  finish(id: string): void {
    const run = this.#runs.get(id);
    if (run !== undefined) run.status = 'succeeded';
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const url = new URL(request.url ?? '', 'http://robot');
    const method = request.method ?? '';
    this.requests.push(`${method} ${url.pathname}`);
    this.version = String(request.headers['opentrons-version']);
    const [status, value] = this.#answer(method, url, body);
    if (this.loseAnswer.delete(`${method} ${url.pathname}`)) {
      request.socket.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  }

  #answer(method: string, url: URL, body: string): [number, unknown] {
    const [, area = '', id = '', part = '', item = ''] = url.pathname.split('/');
    const data = (): Record<string, unknown> => (JSON.parse(body) as { data: Record<string, unknown> }).data;
    switch (area) {
      case 'health':
        return [
          200,
          { name: 'bench-flex', robot_model: 'OT-3 Standard', robot_serial: 'FLX1', api_version: '8.4.0' },
        ];
      case 'modules':
        return [200, { data: [{ id: 'm1', moduleModel: 'thermocyclerModuleV2' }], meta: { totalLength: 1 } }];
      case 'robot':
        if (method === 'POST') this.#lights = (JSON.parse(body) as { on: boolean }).on;
        return [200, { on: this.#lights }];
      case 'protocols':
        return this.#protocol(method, id, item, body);
      case 'commands':
        return this.#command(this.#commands, method, id, method === 'POST' ? data() : {});
      case 'runs':
        break;
      default:
        return [404, { errors: [{ id: 'NotFound', title: 'Not Found', detail: url.pathname }] }];
    }
    if (id === '' && method === 'GET')
      return [
        200,
        { data: [...this.#runs.values()].map(shown), links: {}, meta: { cursor: 0, totalLength: 1 } },
      ];
    if (id === '') return this.#create(data());
    const run = this.#runs.get(id);
    if (run === undefined)
      return [
        404,
        { errors: [{ id: 'RunNotFound', title: 'Run Not Found', detail: `Run ${id} was not found.` }] },
      ];
    if (part === 'actions') return this.#act(run, String(data()['actionType']));
    if (part === 'commands') {
      const given = method === 'POST' ? data() : {};
      const [status, value] = this.#command(run.commands, method, item, given, run);
      const recovering = run.recovering;
      const links =
        recovering === undefined
          ? {}
          : { currentlyRecoveringFrom: { href: '', meta: { commandId: recovering } } };
      return [status, { ...(value as object), links }];
    }
    if (part === 'labware_offsets') {
      run.offsets.push(data());
      return [201, { data: { id: randomUUID(), ...data() } }];
    }
    return [200, { data: shown(run) }];
  }

  #protocol(method: string, id: string, analysis: string, body: string): [number, unknown] {
    const text = this.#protocols.get(id) ?? '';
    const bad = /^bad (.*)$/m.exec(text)?.[1];
    if (analysis !== '') {
      const errors = bad === undefined ? [] : [{ errorType: 'ExceptionInProtocolError', detail: bad }];
      return [
        200,
        { data: { id: 'a1', status: 'completed', result: bad === undefined ? 'ok' : 'not-ok', errors } },
      ];
    }
    if (method === 'POST') {
      const file = /filename="([^"]+)"\r\n[^\r]*\r\n\r\n([\s\S]*?)\r\n--/.exec(body);
      const known = [...this.#protocols].find(([, content]) => content === file?.[2])?.[0];
      const made = known ?? randomUUID();
      this.#protocols.set(made, file?.[2] ?? '');
      return [
        known === undefined ? 201 : 200,
        { data: { id: made, analysisSummaries: [{ id: 'a1', status: 'pending' }] } },
      ];
    }
    return [200, { data: { id, analysisSummaries: [{ id: 'a1', status: 'completed' }] } }];
  }

  #create(data: Record<string, unknown>): [number, unknown] {
    const active = [...this.#runs.values()].find(
      ({ current, status }) => current && !['idle', 'succeeded', 'failed', 'stopped'].includes(status),
    );
    if (active !== undefined)
      return [
        409,
        { errors: [{ id: 'RunAlreadyActive', title: 'Run Already Active', detail: `run ${active.id}` }] },
      ];
    for (const run of this.#runs.values()) run.current = false;
    const protocolId = (data['protocolId'] as string | undefined) ?? null;
    const run: RunRecord = {
      id: randomUUID(),
      protocolId,
      status: 'idle',
      current: true,
      actions: [],
      errors: [],
      steps: (this.#protocols.get(protocolId ?? '') ?? '').split('\n').filter((line) => line !== ''),
      commands: [],
      offsets: (data['labwareOffsets'] as unknown[] | undefined) ?? [],
      recovering: undefined,
    };
    this.#runs.set(run.id, run);
    return [201, { data: shown(run) }];
  }

  #act(run: RunRecord, actionType: string): [number, unknown] {
    const refused = [
      409,
      {
        errors: [
          { id: 'RunActionNotAllowed', title: 'Run Action Not Allowed', detail: `it is ${run.status}` },
        ],
      },
    ] as [number, unknown];
    if (run.status === 'awaiting-recovery-paused' && actionType === 'play') {
      run.status = 'awaiting-recovery';
      return [201, { data: { id: randomUUID(), actionType } }];
    }
    const awaiting = run.status === 'awaiting-recovery';
    if (!run.current || ['succeeded', 'failed', 'stopped'].includes(run.status)) return refused;
    if (actionType.startsWith('resume') !== awaiting && actionType !== 'stop') return refused;
    run.actions.push({ id: randomUUID(), createdAt: new Date().toISOString(), actionType });
    if (actionType === 'stop') run.status = 'stopped';
    else if (actionType === 'pause') run.status = 'paused';
    else {
      run.recovering = undefined;
      run.status = 'running';
      this.#advance(run);
    }
    return [201, { data: run.actions.at(-1) }];
  }

  /** Carries out the next step of a run, unless it waits. */
  #advance(run: RunRecord): void {
    const step = run.status === 'running' ? run.steps.shift() : '';
    if (step === '') return;
    if (step === undefined) {
      run.status = 'succeeded';
      return;
    }
    const [what, detail = ''] = step.split(' ');
    const command: CommandRecord = {
      id: randomUUID(),
      key: randomUUID(),
      commandType: what === 'fail' ? 'pickUpTip' : 'waitForDuration',
      params: { name: detail },
      status: 'succeeded',
    };
    run.commands.push(command);
    if (what === 'crash') {
      run.status = 'failed';
      run.errors.push({ id: 'e1', errorType: 'ExceptionInProtocolError', detail });
    } else if (what === 'fail') {
      command.status = 'failed';
      command.error = { errorType: 'tipPhysicallyMissing', detail: `No tip at ${detail}` };
      run.status = 'awaiting-recovery';
      run.recovering = command.id;
    } else {
      setTimeout(() => this.#advance(run), Number(detail));
      return;
    }
  }

  #command(
    commands: CommandRecord[],
    method: string,
    id: string,
    given: Record<string, unknown>,
    run?: RunRecord,
  ): [number, unknown] {
    if (method === 'GET' && id === '')
      return [200, { data: commands, meta: { cursor: 0, totalLength: commands.length } }];
    if (method === 'GET') {
      const found = commands.find((each) => each.id === id);
      if (found === undefined)
        return [404, { errors: [{ id: 'CommandNotFound', title: 'Command Not Found', detail: id }] }];
      // A command ends between two looks.
      const shownNow = { ...found };
      if (found.status === 'running') found.status = found.error === undefined ? 'succeeded' : 'failed';
      return [200, { data: shownNow }];
    }
    const params = given['params'] as { name?: string; fails?: boolean };
    const fails =
      params.fails === true ||
      (params.name !== undefined && run !== undefined && !this.#mended.has(params.name));
    const command = {
      ...given,
      id: randomUUID(),
      result: { position: 1 },
      status: 'running',
      ...(fails ? { error: { errorType: 'tipPhysicallyMissing', detail: 'No tip' } } : {}),
    } as unknown as CommandRecord;
    commands.push(command);
    return [201, { data: { ...command, status: 'queued' } }];
  }
}

interface CommandRecord {
  id: string;
  key: string;
  commandType: string;
  params: object;
  status: string;
  error?: object;
}

interface RunRecord {
  id: string;
  protocolId: string | null;
  status: string;
  current: boolean;
  actions: object[];
  errors: object[];
  steps: string[];
  commands: CommandRecord[];
  offsets: unknown[];
  recovering: string | undefined;
}

const shown = ({ id, protocolId, status, current, actions, errors }: RunRecord): object => ({
  id,
  protocolId,
  status,
  current,
  actions,
  errors,
  pipettes: [],
  labware: [],
});
