import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readUnlessGone, runningProcesses, signal } from '../shared/processes.js';

export interface ServiceSettings {
  /** The program and its arguments. */
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Milliseconds from the end of the process to its restart, asked each time. */
  restartMs: () => number;
  /** What the service prints when it is ready. Undefined: it is ready when it runs. */
  ready?: RegExp | undefined;
  /** Gets every piece of standard output. */
  onOutput?: (text: string) => void;
  /** Called when the process has ended. */
  onEnd?: () => void;
}

interface Service extends ServiceSettings {
  /** Undefined between the end of a process and its restart. */
  child: ChildProcess | undefined;
  exited: Promise<void>;
  restart: NodeJS.Timeout | undefined;
  /** When it was ready, by performance.now(). */
  readyAt: number | undefined;
}

/** Processes that are started again when they end, as a service manager does. Each has a log. */
export class Services {
  /** When each service was started, in milliseconds since 1970. */
  readonly starts: { name: string; at: number }[] = [];
  readonly #services = new Map<string, Service>();
  #stopping = false;

  /** @param folder has a folder `logs` */
  constructor(private readonly folder: string) {}

  get names(): string[] {
    return [...this.#services.keys()];
  }

  /** Starts a service under a new name. */
  add(name: string, settings: ServiceSettings): void {
    const service: Service = {
      ...settings,
      ...{ child: undefined, exited: Promise.resolve(), restart: undefined, readyAt: undefined },
    };
    this.#services.set(name, service);
    this.#launch(name, service);
  }

  /** Process id of a service; undefined until it is started again. */
  pidOf(name: string): number | undefined {
    return this.#services.get(name)?.child?.pid;
  }

  /** When the last started process was ready, by performance.now(); undefined: a process is not ready yet. */
  get wholeSince(): number | undefined {
    const moments = [...this.#services.values()].map(({ readyAt }) => readyAt);
    return moments.includes(undefined) ? undefined : Math.max(...(moments as number[]));
  }

  /** Names of the services that are not ready. */
  get notReady(): string[] {
    return [...this.#services].filter(([, { readyAt }]) => readyAt === undefined).map(([name]) => name);
  }

  /** Children of a service whose command line names the host: `device-host` or `task-host`. */
  childrenOf(name: string, host: string): { pid: number }[] {
    const parent = this.pidOf(name);
    if (parent === undefined) return [];
    return runningProcesses().filter((each) => each.parent === parent && each.command.includes(host));
  }

  /**
   * Processes whose environment names the folder: every service and its descendants. A process that is about to end gets
   * one second.
   */
  async leftovers(): Promise<{ pid: number; command: string }[]> {
    const found = () =>
      runningProcesses().filter(({ pid }) => readUnlessGone(`/proc/${pid}/environ`)?.includes(this.folder));
    if (found().length > 0) await delay(1_000);
    return found().map(({ pid, command }) => ({ pid, command: command.slice(0, 120) }));
  }

  /** Ends all services at once. @returns the names of those that had to be killed */
  async stop(): Promise<string[]> {
    this.#stopping = true;
    const late: string[] = [];
    await Promise.all(
      [...this.#services].map(async ([name, { restart, child, exited }]) => {
        clearTimeout(restart);
        if (child === undefined) return;
        signal(child.pid, 'SIGCONT');
        child.kill('SIGTERM');
        if (await Promise.race([exited.then(() => true), delay(60_000, false)])) return;
        late.push(name);
        child.kill('SIGKILL');
        await exited;
      }),
    );
    return late;
  }

  #launch(name: string, service: Service): void {
    this.starts.push({ name, at: Date.now() });
    const [program = '', ...args] = service.command;
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], ...service.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log = createWriteStream(join(this.folder, 'logs', `${name}.log`), { flags: 'a' });
    log.write(`== started as process ${child.pid} at ${new Date().toISOString()}\n`);
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    service.child = child;
    service.readyAt = service.ready === undefined ? performance.now() : undefined;
    child.stdout.on('data', (data) => {
      const text = String(data);
      if (service.readyAt === undefined && service.ready?.test(text)) service.readyAt = performance.now();
      service.onOutput?.(text);
    });
    service.exited = new Promise((resolve) => {
      child.once('exit', (code, signalName) => {
        log.write(`== ended with ${signalName ?? code} at ${new Date().toISOString()}\n`);
        service.child = undefined;
        service.readyAt = undefined;
        service.onEnd?.();
        if (!this.#stopping)
          service.restart = setTimeout(() => this.#launch(name, service), service.restartMs());
        resolve();
      });
    });
    // Output can arrive after the exit of the process; none arrives after `close`.
    child.once('close', () => log.end());
  }
}
