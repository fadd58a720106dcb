import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BaseDevice, JsonObject } from '@lab/sdk';
import { contextKey } from '../../sdk/src/author/context.js';
import { readLines } from './recordings.js';

/** A device as its host runs it: with a folder, a log and ids of calls. */
export class DeviceUnderTest {
  readonly folder = mkdtempSync(join(tmpdir(), 'lab-instrument-'));
  readonly logged: string[] = [];
  private readonly device: BaseDevice<JsonObject>;
  private calls = 0;
  private callId: string | undefined;

  constructor(
    Device: new () => BaseDevice<JsonObject>,
    private readonly parameters: JsonObject,
  ) {
    this.device = new Device();
    const log = (...parts: unknown[]): void => void this.logged.push(parts.join(' '));
    this.device[contextKey] = {
      ...{ name: 'device_1', lab: 'test_lab', log: { debug: log, info: log, warn: log, error: log } },
      ...{ folder: () => this.folder, callId: () => this.callId, ask: () => undefined },
    };
  }

  async start(): Promise<this> {
    await this.device._initialize(this.parameters);
    return this;
  }

  get functions() {
    return this.device._svc_functions?.() ?? {};
  }

  get canStop(): boolean {
    return this.device._stop !== undefined;
  }

  /** Calls a function. Calls that run at the same time have the id of the last one. */
  async call(name: string, given: JsonObject = {}): Promise<unknown> {
    const found = this.functions[name];
    if (found === undefined)
      throw new Error(`no function ${name}: ${Object.keys(this.functions).join(', ')}`);
    this.calls += 1;
    this.callId = `call-${this.calls}`;
    return found.call(given);
  }

  report = async (): Promise<JsonObject> => (await this.device._report()) as JsonObject;
  stop = async (): Promise<void> => this.device._stop?.('test');
  cleanup = async (): Promise<void> => this.device._cleanup();
  reconcile = async () =>
    this.device._reconcile?.(this.parameters, [{ callId: 'call-0', function: 'measure' }]);

  /** What the device recorded. */
  traffic = (): JsonObject[] => readLines(this.recording());

  /** The newest recording. */
  recording(): string {
    const names = readdirSync(this.folder).filter((name) => /^traffic-.*\.ndjson$/.test(name));
    return join(this.folder, names.sort().at(-1) ?? 'nothing was recorded');
  }

  async end(): Promise<void> {
    try {
      await this.cleanup();
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

/** Waits until something holds, at most `mostMs` milliseconds. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  what: string,
  mostMs = 20_000,
): Promise<void> {
  const end = performance.now() + mostMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it did not come true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
