import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromDevice } from '@lab/contracts';
import { bundle } from '../../definitions/src/code/bundle.js';
import { HostProcess, type Message } from '../../sdk/test/host-process.js';
import { languages } from '../../sdk/test/languages.js';

/** Processes of SiLA devices as an agent runs them, with the code as the service bundles it. */

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url));

let code: Promise<string> | undefined;

/** The code of the device with all its libraries. */
async function bundled(): Promise<string> {
  const made = (await bundle(fixtures, 'sila_lab', ['device.ts'])).get('device.ts');
  if (made?.ok !== true) throw new Error(JSON.stringify(made));
  return made.text;
}

/** A device of a lab with a folder of its own. Its processes come and go. */
export class Bench {
  #host: HostProcess | undefined;
  #calls = 0;

  private constructor(
    private readonly folder: string,
    private readonly module: { path: string; hash: string },
    private readonly parameters: Record<string, unknown>,
  ) {}

  static async make(parameters: Record<string, unknown>): Promise<Bench> {
    const folder = await mkdtemp(join(tmpdir(), 'lab-sila-'));
    const path = join(folder, 'device.mjs');
    await writeFile(path, await (code ??= bundled()));
    return new Bench(folder, { path, hash: 'x' }, parameters);
  }

  get host(): HostProcess {
    if (this.#host === undefined) throw new Error('no process has been started');
    return this.#host;
  }

  /** Starts a process. @returns its answer to `init` */
  async start(more: Record<string, unknown> = {}): Promise<Message> {
    await this.#open();
    this.host.send({ type: 'init', ...this.#identity(more) });
    return Promise.race([this.host.next('ready'), this.host.next('init_failed')]);
  }

  /** Starts a process that is asked about calls of an earlier one, and initialises it if it is idle. */
  async reconcile(...inDoubt: string[]): Promise<Message> {
    await this.#open();
    const in_doubt = inDoubt.map((call_id) => ({ call_id, function: 'any' }));
    this.host.send({ type: 'reconcile', ...this.#identity({}), in_doubt });
    const found = await this.host.next('reconciled');
    if (found['idle'] === true) {
      this.host.send({ type: 'init', ...this.#identity({}) });
      await this.host.next('ready');
    }
    return found;
  }

  /** Calls a function. @param fence of the task that calls; absent: a person calls */
  call(name: string, given: object = {}, fence?: number): { id: string; end: Promise<Message> } {
    const id = `call-${++this.#calls}-${process.hrtime.bigint()}`;
    const allocation = fence === undefined ? {} : { allocation: { attempt_id: `a-${fence}`, fence } };
    this.host.send({ type: 'call', call_id: id, function: name, arguments: given, ...allocation });
    const mine = (message: Message): boolean => message['call_id'] === id;
    const end = Promise.race([this.host.next('result', mine), this.host.next('failure', mine)]);
    // A test that kills the process does not wait for the end of its calls.
    end.catch(() => undefined);
    return { id, end };
  }

  /** An emergency stop. @returns what the process says of it */
  async stop(): Promise<Message> {
    this.host.send({ type: 'stop', reason: 'a hand is in it' });
    return this.host.next('stopped');
  }

  /** Stops the process in the middle of everything, or lets it go on. */
  freeze(isFrozen: boolean): void {
    this.host.child.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT');
  }

  async release(fence: number): Promise<void> {
    const allocation = { attempt_id: `a-${fence}`, fence };
    this.host.send({ type: 'deallocated', call_id: `end-${fence}`, allocation });
    await this.host.next('result', (message) => message['call_id'] === `end-${fence}`);
  }

  /** Ends the process without a chance to clean up. */
  async kill(): Promise<void> {
    await this.#host?.kill();
  }

  /** The agent is gone: the process cleans up and ends. */
  async orphan(): Promise<void> {
    this.host.leave();
    await this.host.exit;
  }

  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    const [typescript] = languages;
    if (typescript === undefined) throw new Error('no language');
    await this.kill();
    this.#host = await HostProcess.start(typescript, 'device-host', fromDevice, {
      given: [join(this.folder, 'state')],
    });
  }

  #identity(more: Record<string, unknown>) {
    const { path, hash } = this.module;
    return {
      lab: 'sila_lab',
      name: 'bench',
      module: { hash, package: 'sila_lab', source: 'device.ts' },
      path,
      init_parameters: { ...this.parameters, ...more },
    };
  }
}
