import { ServiceError, type AgentUpdates, type RolloutRecord } from '@lab/contracts';
import type { UpdateAnswer } from '../../src/testing/memory-agents.js';
import type { RolloutAsked } from '../../src/rollouts/index.js';
import { device, TestLab } from '../test-lab.js';

export const before = '1.0.0';
export const after = '2.0.0';
const restartMs = 20_000;

/** A laboratory with one arm on each computer, whose agents update themselves within seconds. */
export class RolloutLab extends TestLab {
  /** Computers in the order in which their agents were asked, each time. */
  readonly asked: string[] = [];
  /** Greatest number of computers that were drained or updated at once. */
  most = 0;
  /** What an agent does when it is asked. Default: it restarts with the version. */
  onAsked: ((computer: string, version: string) => UpdateAnswer) | undefined;
  /** What an agent says about updates. */
  readonly says = new Map<string, AgentUpdates | undefined>();
  readonly names: string[];
  readonly #restarts: { computer: string; version: string; at: number }[] = [];

  constructor(count: number) {
    super();
    this.names = Array.from({ length: count }, (_, index) => `pc_${String(index + 1).padStart(2, '0')}`);
    this.lab('l', Object.fromEntries(this.names.map((name) => [`arm_${name}`, `arm@${name}`])));
    for (const name of this.names) {
      this.protocol(name, [{ name: 'a', devices: { d: device(`l.arm_${name}`) } }]);
      this.protocol(`${name}_twice`, [
        { name: 'a', devices: { d: device(`l.arm_${name}`, true) } },
        { name: 'b', needs: ['a'], devices: { d: { kind: 'reference', task: 'a', slot: 'd', hold: false } } },
      ]);
      this.agents.versions.set(name, before);
    }
    const usual = { platform: 'linux-x64', refusal: null, failed: null };
    this.agents.updatesOf = (name) => {
      if (this.says.has(name)) return this.says.get(name);
      return name === 'svc_computer' ? { ...usual, refusal: 'it was not started by "svc-agent run"' } : usual;
    };
    this.agents.onUpdate = (computer, version) => {
      this.asked.push(computer);
      const at = this.agents.running().find((each) => each.computer === computer);
      if (at !== undefined) throw new Error(`${computer} was asked while ${at.label} runs there`);
      return this.onAsked === undefined ? this.restart(computer, version) : this.onAsked(computer, version);
    };
  }

  static async open(count: number): Promise<RolloutLab> {
    const test = new RolloutLab(count);
    await test.open();
    // A leader that has just begun knows only the agents that have registered.
    await test.live(1_000);
    return test;
  }

  /** The agent of a computer comes back with the version after some seconds. */
  restart(computer: string, version: string, ms = restartMs): 'placed' {
    this.#restarts.push({ computer, version, at: this.clock.now() + ms });
    return 'placed';
  }

  refuse(code: 'forbidden' | 'device_in_use' | 'wrong_state', message: string): never {
    throw new ServiceError(code, message);
  }

  rollOut(more: Partial<RolloutAsked> = {}): Promise<RolloutRecord> {
    return this.engine.rollouts.start({
      ...{ version: after, computers: null, canary: null, settle_s: 600, reason: 'release', by: 'ada' },
      packages: [{ version: after, platform: 'linux-x64' }],
      ...more,
    });
  }

  get rollout(): RolloutRecord {
    const [latest] = this.engine.rollouts.list();
    if (latest === undefined) throw new Error('there is no rollout');
    return latest;
  }

  state(computer: string): string | undefined {
    return this.rollout.computers.find((step) => step.computer === computer)?.state;
  }

  /** Computers whose state is one of these. */
  those(...states: string[]): string[] {
    return this.rollout.computers.filter(({ state }) => states.includes(state)).map((step) => step.computer);
  }

  /** Who drains which computer. */
  drains(): Record<string, string> {
    return Object.fromEntries(
      this.engine.views
        .agents()
        .flatMap(({ computer, drain }) => (drain === null ? [] : [[computer, drain.reason]])),
    );
  }

  /** Time passes, and agents that restart do so. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      await this.live(1_000);
      const touched = this.those('draining', 'updating', 'restarting', 'initializing');
      this.most = Math.max(this.most, touched.length);
      for (const due of this.#restarts.filter(({ at }) => at <= this.clock.now())) {
        this.#restarts.splice(this.#restarts.indexOf(due), 1);
        this.agents.leave(due.computer);
        this.agents.versions.set(due.computer, due.version);
        await this.agents.boot(due.computer);
        await this.clock.settle();
      }
    }
  }

  /** Passes time until something is so, at most an hour. */
  async until(isSo: () => boolean): Promise<void> {
    for (let second = 0; second < 3_600; second += 1) {
      if (isSo()) return;
      await this.pass(1_000);
    }
    throw new Error(`it did not happen; the rollout is ${JSON.stringify(this.rollout)}`);
  }

  openItems(): string[] {
    return [...this.store.rows.attention.values()].flatMap(({ state, reason }) =>
      state === 'open' ? [reason.code] : [],
    );
  }
}
