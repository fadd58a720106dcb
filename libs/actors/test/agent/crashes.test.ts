import { ServiceError, type AttemptOutcome } from '@lab/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { device, task, World } from '../world.js';
import {
  MemoryLedger,
  MemoryOrchestrator,
  VirtualTime,
  type DeviceScript,
  type TaskScript,
} from '../../src/testing/index.js';

type Step =
  | { do: 'start'; attempt: number; awaited: boolean }
  | { do: 'status' | 'cancel'; attempt: number }
  | { do: 'pass'; ms: number }
  | { do: 'crashDevice' | 'crashAgent' | 'crashTask' | 'orchestratorLeaves' | 'orchestratorReturns' }
  | { do: 'halt' | 'release' | 'reset' };

const attempt = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('start' as const), attempt, awaited: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('status' as const, 'cancel' as const), attempt }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat({ max: 20_000 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'crashDevice' as const,
        'crashAgent' as const,
        'crashTask' as const,
        'orchestratorLeaves' as const,
        'orchestratorReturns' as const,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('halt' as const, 'release' as const, 'reset' as const, 'reset' as const),
    }),
  },
);

/** A lab that runs a schedule of faults and records the facts for the invariants. */
class Trial {
  readonly time = new VirtualTime();
  readonly orchestrator = new MemoryOrchestrator();
  readonly accepted = new Set<string>();
  readonly refusedForEver = new Set<string>();
  readonly ran: string[] = [];
  overlaps = 0;
  /** Moves that began although a person had stopped the device, or while it was in doubt. */
  forbidden = 0;
  #stopped = false;
  #lastHalt = 0;
  #fence = 0;
  #lives = 0;
  #world: World;

  constructor() {
    this.orchestrator.devices = [device('arm')];
    this.#world = this.#next(new MemoryLedger());
  }

  async begin(): Promise<void> {
    await this.#world.up();
  }

  async take(step: Step): Promise<void> {
    const { agent } = this.#world;
    switch (step.do) {
      case 'start':
        // Not awaited: the next step finds the ledger in the middle of a write.
        if (step.awaited) await this.#start(`a${step.attempt}`);
        else void this.#start(`a${step.attempt}`);
        return;
      case 'status':
        await this.#ask(step.attempt, agent.taskStatus(`a${step.attempt}`, {}));
        return;
      case 'cancel':
        await this.#ask(step.attempt, agent.cancelTask(`a${step.attempt}`, 'why not', {}));
        return;
      case 'pass':
        await this.time.advance(step.ms);
        return;
      case 'crashDevice':
        this.#world.deviceProcesses.started
          .get('lab.arm')
          ?.at(-1)
          ?.exit({ code: 1, signal: null, lastStderr: null });
        return;
      case 'crashTask':
        this.#world.taskProcesses.started
          .find((process) => process.alive && process.received.length > 0)
          ?.exit({ code: 1, signal: null, lastStderr: null });
        return;
      case 'crashAgent':
        await this.restart();
        return;
      case 'halt':
        await this.#halt();
        return;
      case 'release':
        this.#release();
        return;
      case 'reset':
        await this.#reset();
        return;
      case 'orchestratorLeaves':
        this.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
        return;
      case 'orchestratorReturns':
        this.orchestrator.away = undefined;
        return;
    }
  }

  async restart(): Promise<void> {
    this.ran.push(...this.#world.taskProcesses.runs);
    this.#world = this.#next(this.#world.crash());
    await this.#world.up();
  }

  /** Lets everything end. */
  async end(): Promise<void> {
    this.orchestrator.away = undefined;
    this.#world.agent.reconnected();
    this.#release();
    await this.#reset();
    await this.time.advance(600_000);
    this.ran.push(...this.#world.taskProcesses.runs);
  }

  get openAttempts(): number {
    return this.#world.agent.attempts().filter((report) => report.status !== 'unknown').length;
  }

  #next(ledger: MemoryLedger): World {
    this.#lives += 1;
    const { time, orchestrator } = this;
    return new World({
      time,
      orchestrator,
      ledger,
      session: `life-${this.#lives}-`,
      limits: { poolMax: 3, devicePingMs: 60_000 },
      tasks: { work: this.#work },
      device: () => this.#arm(),
    });
  }

  readonly #work: TaskScript = async ({ call }) => {
    await call('arm', 'move');
    await call('arm', 'look');
    await call('arm', 'move');
    return {};
  };

  #arm(): DeviceScript {
    let moving = 0;
    return {
      functions: [
        { name: 'move', kind: 'effect' },
        { name: 'look', kind: 'query' },
      ],
      call: (name) =>
        new Promise((resolve) => {
          if (name === 'move') {
            this.overlaps += ++moving > 1 ? 1 : 0;
            const [arm] = this.#world.agent.devices();
            this.forbidden += this.#stopped || arm?.doubt !== undefined ? 1 : 0;
          }
          this.time.after(700, () => {
            if (name === 'move') moving -= 1;
            resolve(name);
          });
        }),
    };
  }

  async #start(id: string): Promise<void> {
    const { agent } = this.#world;
    const start = task(id, 'work', { devices: { arm: { inc: agent.inc ?? 0, fence: ++this.#fence } } });
    try {
      await agent.startTask(start, {});
      this.accepted.add(id);
    } catch (error) {
      expect(error).toMatchObject({ name: 'ServiceError', effect: 'none' });
    }
  }

  /**
   * A person stops everything, and the leader knows it. An agent that dies before it records the stop receives it
   * again.
   */
  async #halt(): Promise<void> {
    const halt = { id: `halt-${++this.#lastHalt}`, scope: 'all', by: 'ann', reason: 'fire' };
    this.orchestrator.halts.push(halt);
    this.#world.agent.emergencyStop(halt);
    // A call that was already sent may still begin. `_stop` follows it.
    await this.time.advance(0);
    this.#stopped = true;
  }

  #release(): void {
    const { orchestrator } = this;
    this.#stopped = false;
    orchestrator.released.push(...orchestrator.halts.map(({ id }) => id));
    orchestrator.halts = [];
    const { agent } = this.#world;
    agent.hearLeader(agent.epoch, { released: orchestrator.released });
  }

  /** A person settles all open doubts. */
  async #reset(): Promise<void> {
    const { agent } = this.#world;
    const [arm] = agent.devices();
    if (arm?.doubt === undefined && arm?.state !== 'faulted') return;
    await agent.resetDevice({ lab: 'lab', name: 'arm' }, arm.doubt?.id ?? null, 'ann', {});
  }

  async #ask(attempt: number, asking: Promise<string>): Promise<void> {
    const status = await asking;
    if (status === 'unknown') this.refusedForEver.add(`a${attempt}`);
  }
}

describe('with crashes in any order', () => {
  it('an attempt runs at most once, every accepted one is answered, and no device does two effects at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), async (steps) => {
        const trial = new Trial();
        await trial.begin();
        for (const each of steps) await trial.take(each);
        await trial.end();

        expect(new Set(trial.ran).size).toBe(trial.ran.length);
        expect(trial.overlaps).toBe(0);
        expect(trial.forbidden).toBe(0);
        expect(trial.openAttempts).toBe(0);
        const outcomes = new Map<string, AttemptOutcome>();
        for (const { attempt_id: id, outcome } of trial.orchestrator.results) {
          expect(outcomes.get(id) ?? outcome).toEqual(outcome);
          outcomes.set(id, outcome);
        }
        const neverRan = new Set(
          trial.orchestrator.hellos.flatMap((hello) =>
            hello.attempts.filter((report) => report.status === 'unknown').map((report) => report.attempt_id),
          ),
        );
        for (const id of trial.accepted) {
          expect({
            id,
            answered: outcomes.has(id) || neverRan.has(id) || trial.refusedForEver.has(id),
          }).toEqual({
            id,
            answered: true,
          });
        }
        for (const id of neverRan) expect(trial.ran).not.toContain(id);
        for (const id of trial.ran) expect(outcomes.has(id)).toBe(true);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
