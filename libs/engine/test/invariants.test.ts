import {
  attentionActionsOf,
  failureActions,
  isActive,
  isTerminal,
  mayBeResumed,
  runFailureActions,
  ServiceError,
  type AttemptOutcome,
  type DeviceStatus,
  type TaskFailurePolicy,
} from '@lab/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttentionRow } from '../src/rows/rows.js';
import type { Delivery } from '../src/testing/memory-agents.js';
import {
  anyDevice,
  device,
  everyPolicy,
  same,
  TestLab,
  type MakePolicy,
  type TaskSketch,
} from './test-lab.js';

/** Devices: two pools over two computers and one device of its own. */
const devices = { a1: 'arm', a2: 'arm@pc', m1: 'mixer', m2: 'mixer@pc', one: 'one@pc' };
const keys = Object.keys(devices);

const slot = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('specific' as const), pick: fc.nat(4), hold: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('dynamic' as const), pick: fc.nat(1), hold: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reference' as const), pick: fc.nat(9), hold: fc.boolean() }),
  },
);
const policy: fc.Arbitrary<TaskFailurePolicy> = fc.record(
  {
    timeout: fc.integer({ min: 1, max: 8 }),
    retry: fc.record({ attempts: fc.integer({ min: 1, max: 3 }), backoff: fc.integer({ min: 0, max: 3 }) }),
    on_failure: fc.constantFrom(...failureActions),
  },
  { requiredKeys: [] },
);
const protocol = fc.array(
  fc.record({
    needs: fc.array(fc.nat(9), { maxLength: 2 }),
    slots: fc.array(slot, { maxLength: 2 }),
    policy,
    retrySafe: fc.boolean(),
    /** Seconds. */
    duration: fc.nat(5),
    /** Lags after the first dependency, in seconds. */
    lag: fc.record({ min_lag: fc.nat(3), max_lag: fc.integer({ min: 3, max: 9 }) }, { requiredKeys: [] }),
  }),
  { minLength: 1, maxLength: 4 },
);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('run' as const), pick: fc.nat(9), priority: fc.nat(2) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('task' as const), pick: fc.nat(9), priority: fc.nat(9) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('campaign' as const), pick: fc.nat(9), priority: fc.nat(2) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('end' as const), pick: fc.nat(9), priority: fc.nat(9) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('cancel' as const), pick: fc.nat(9), priority: fc.nat(2) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pause' as const), pick: fc.nat(9), priority: fc.nat(5) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), pick: fc.nat(6000), priority: fc.nat(1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('agent' as const), pick: fc.nat(1), priority: fc.nat(3) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('engine' as const), pick: fc.nat(1), priority: fc.nat(1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('store' as const), pick: fc.nat(2), priority: fc.nat(3) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('device' as const), pick: fc.nat(4), priority: fc.nat(2) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('decide' as const), pick: fc.nat(9), priority: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('stop' as const), pick: fc.nat(3), priority: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('release' as const), pick: fc.nat(1), priority: fc.nat(1) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Sketch = typeof protocol extends fc.Arbitrary<infer T> ? T : never;

const delivery: fc.Arbitrary<Delivery> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Delivery>('delivered') },
  { weight: 1, arbitrary: fc.constant<Delivery>('refused') },
  { weight: 1, arbitrary: fc.constant<Delivery>('lost') },
  { weight: 1, arbitrary: fc.constant<Delivery>('reply_lost') },
);

function tasksOf(sketch: Sketch): TaskSketch[] {
  const tasks: TaskSketch[] = [];
  sketch.forEach(({ needs, slots, policy, duration, lag }, index) => {
    const earlier = tasks.map((task) => task.name);
    const depends = new Set(needs.filter((n) => n < index).map((n) => `t${n}`));
    const filled: NonNullable<TaskSketch['devices']> = {};
    const taken = new Set<string>();
    slots.forEach(({ kind, pick, hold }, number) => {
      const name = `s${number}`;
      if (kind === 'specific') {
        const key = `l.${keys[pick] ?? 'a1'}`;
        if (taken.has(key)) return;
        taken.add(key);
        filled[name] = device(key, hold);
      } else if (kind === 'dynamic') filled[name] = anyDevice(pick === 0 ? 'arm' : 'mixer', hold);
      else {
        const source = earlier[pick % Math.max(1, earlier.length)];
        const target = tasks.find((task) => task.name === source);
        // Only one reference per task, so that no two slots can mean the same device.
        if (source === undefined || target?.devices?.['s0'] === undefined || number > 0 || slots.length > 1)
          return;
        filled[name] = same(`${source}.s0`, hold);
        depends.add(source);
      }
    });
    const [first] = depends;
    const lags = first === undefined ? {} : { [first]: lag };
    tasks.push({ name: `t${index}`, needs: [...depends], devices: filled, policy, duration, lags });
  });
  return tasks;
}

class World {
  readonly test = new TestLab();
  readonly accepted: { kind: 'run' | 'task' | 'campaign'; name: string; id: string }[] = [];
  readonly faulted = new Set<string>();
  /** Devices whose state their agent does not know, with the number of the doubt. */
  readonly doubted = new Map<string, number>();
  /** Task runs with an attempt that may have had effects, which only a person may repeat. */
  readonly done = new Set<string>();
  readonly wrong: string[] = [];
  #names = 0;

  constructor(
    readonly protocols: Sketch[],
    readonly deliveries: Delivery[],
    policy: MakePolicy,
  ) {
    this.test.policy = policy;
  }

  async open(): Promise<void> {
    const { test } = this;
    test.lab('l', devices);
    this.protocols.forEach((sketch, index) => {
      sketch.forEach(({ retrySafe }, number) => {
        if (retrySafe) test.taskType(`p${index}_t${number}`, { retry_safe: true });
      });
      test.protocol(`p${index}`, tasksOf(sketch));
    });
    for (const type of ['arm', 'mixer', 'one']) test.taskType(`use_${type}`, { devices: { d: { type } } });
    test.agents.deviceState = (_, name) =>
      this.doubted.has(name) ? 'uncertain' : this.faulted.has(name) ? 'faulted' : 'idle';
    test.agents.deviceMore = (_, name): Partial<DeviceStatus> =>
      this.doubted.has(name)
        ? { doubt: { id: `${name}-${this.doubted.get(name)}`, in_doubt: [], last_confirmed: null } }
        : {};
    test.agents.onReset = (device, doubtId) => {
      const name = device.slice('l.'.length);
      if (doubtId !== `${name}-${this.doubted.get(name)}`)
        throw new ServiceError('wrong_state', 'that is not its doubt');
      this.doubted.delete(name);
    };
    let call = 0;
    test.agents.onCall = () =>
      this.deliveries[(call += 1) % Math.max(1, this.deliveries.length)] ?? 'delivered';
    test.agents.onStart = (execution) => this.#judgeStart(execution.start.task_run_id);
    await test.open();
  }

  async take({ do: what, pick, priority }: Step): Promise<void> {
    const { test } = this;
    switch (what) {
      case 'run': {
        const name = `run${(this.#names += 1)}`;
        const type = `p${pick % this.protocols.length}`;
        await this.#accept('run', name, () => test.engine.submissions.protocolRun({ name, type, priority }));
        break;
      }
      case 'task': {
        const name = `task${(this.#names += 1)}`;
        const key = keys[pick % keys.length] ?? 'a1';
        const type = `use_${devices[key as keyof typeof devices].split('@')[0] ?? ''}`;
        await this.#accept('task', name, () =>
          test.engine.submissions.task({
            name,
            type,
            priority,
            devices: { d: { lab_name: 'l', name: key } },
            allocation_timeout: priority,
          }),
        );
        break;
      }
      case 'campaign': {
        const name = `campaign${(this.#names += 1)}`;
        await this.#accept('campaign', name, () =>
          test.engine.submissions.campaign({
            name,
            protocol: `p${pick % this.protocols.length}`,
            max_protocol_runs: 2,
            max_concurrent_protocol_runs: 1 + (priority % 2),
            on_run_failure: runFailureActions[pick % runFailureActions.length] ?? 'stop',
          }),
        );
        break;
      }
      case 'end': {
        const running = test.agents.running();
        const chosen = running[pick % Math.max(1, running.length)];
        if (chosen === undefined) break;
        const outcome: AttemptOutcome =
          priority < 7
            ? { kind: 'completed', output_parameters: {}, output_resources: {}, files: [] }
            : priority < 9
              ? { kind: 'failed', code: 'task_error', error: { message: 'broke' } }
              : { kind: 'unknown', detail: 'nobody saw it' };
        const effects = pick % 3 === 2 ? undefined : pick % 3;
        if (outcome.kind !== 'completed' && effects !== 0) this.done.add(chosen.start.task_run_id);
        const calls = effects === undefined ? undefined : { effects, last_confirmed: null, in_doubt: null };
        await this.#quietly(() => test.agents.end(chosen.attempt, outcome, calls));
        break;
      }
      case 'cancel':
        await this.#cancel(pick);
        break;
      case 'pause':
        await this.#pauseOrResume(pick, priority);
        break;
      case 'wait':
        if (priority === 0) await test.live(pick);
        else await test.clock.advance(pick);
        break;
      case 'agent': {
        const computer = pick === 0 ? 'svc_computer' : 'pc';
        if (priority === 0) test.agents.leave(computer);
        else if (priority === 1) test.agents.crash(computer);
        else await this.#quietly(() => test.agents.boot(computer));
        break;
      }
      case 'engine':
        if (priority === 0) await test.engine.stop();
        await this.#quietly(() => test.start());
        if (pick === 0) await this.#registerAll();
        break;
      case 'store': {
        const trouble = () => {
          test.store.beforeCommit = undefined;
          test.store.afterCommit = undefined;
          throw new ServiceError('store_unavailable', 'away', { effect: 'maybe' });
        };
        if (priority % 2 === 0) test.store.beforeCommit = trouble;
        else test.store.afterCommit = trouble;
        break;
      }
      case 'device': {
        const key = keys[pick] ?? 'a1';
        if (priority === 0) this.faulted.add(key);
        else if (priority === 1) this.faulted.delete(key);
        else this.doubted.set(key, (this.doubted.get(key) ?? 0) + 1);
        break;
      }
      case 'decide': {
        const open = this.#openItems();
        const item = open[pick % Math.max(1, open.length)];
        if (item !== undefined) await this.#decide(item, priority);
        break;
      }
      case 'stop': {
        const scope = ['all', 'lab:l', 'device:l.a2', 'device:l.one'][pick] ?? 'all';
        const halt = { id: `stop${(this.#names += 1)}`, scope, by: 'ada', reason: '' };
        if (priority === 0) test.engine.emergencyStops.heard(halt);
        else await this.#quietly(() => test.engine.emergencyStops.engage(halt));
        break;
      }
      case 'release':
        await this.#quietly(() => test.engine.emergencyStops.release(null, 'ada'));
        break;
    }
    await test.clock.settle();
    this.judge();
  }

  /** Ends all faults. People make the decisions that only they can make. */
  async heal(): Promise<void> {
    const { test } = this;
    test.agents.onCall = () => 'delivered';
    test.store.beforeCommit = undefined;
    test.store.afterCommit = undefined;
    this.faulted.clear();
    for (let round = 0; round < 120 && (round === 0 || this.open_().length > 0); round += 1) {
      await this.#quietly(() => test.engine.emergencyStops.release(null, 'ada'));
      await this.#quietly(() => test.engine.queuePause.resume('ada'));
      for (const { name, pausedAt, state } of test.store.rows.campaigns.values())
        if (pausedAt !== null && !isTerminal(state))
          await this.#quietly(() => test.engine.work.resumeCampaign(name, 'ada'));
      for (const { name, pausedAt, state } of test.store.rows.protocolRuns.values())
        if (pausedAt !== null && !isTerminal(state))
          await this.#quietly(() => test.engine.work.resumeProtocolRun(name, 'ada'));
      for (const computer of ['svc_computer', 'pc'])
        if (!test.agents.isAlive(computer)) await this.#quietly(() => test.agents.boot(computer));
      await this.#registerAll();
      for (const { attempt } of test.agents.running()) {
        // Time passes between two ends, so timeouts may occur.
        if (test.agents.executions.get(attempt)?.outcome !== null) continue;
        await this.#quietly(() =>
          test.agents.end(attempt, {
            kind: 'completed',
            output_parameters: {},
            output_resources: {},
            files: [],
          }),
        );
      }
      await test.live(2000);
      for (const [index, item] of this.#openItems().entries())
        await this.#decide(item, item.kind === 'task' && round > 40 ? 1 : (index + round) % 3);
      // Two runs each hold what the other needs: a person cancels one of them.
      const stuck = round > 20 && round % 10 === 0 && test.agents.running().length === 0;
      const run = [...test.store.rows.protocolRuns.values()].find((row) => !isTerminal(row.state));
      if (stuck && run !== undefined) await this.#quietly(() => test.engine.work.cancelProtocolRun(run.name));
      await test.clock.settle();
      this.judge();
    }
  }

  /** Accepted work that is not over, and open attention items. */
  open_(): string[] {
    const { rows } = this.test.store;
    return [
      ...[...rows.campaigns.values(), ...rows.protocolRuns.values(), ...rows.taskRuns.values()]
        .filter((row) => !isTerminal(row.state))
        .map((row) => `${row.name} is ${row.state}`),
      ...this.#openItems().map((item) => `a question about a ${item.kind} is open`),
    ];
  }

  #openItems(): AttentionRow[] {
    return [...this.test.store.rows.attention.values()].filter((item) => item.state === 'open');
  }

  /** Decides as a person. @param choice selects one of the possible decisions about a task */
  async #decide(item: AttentionRow, choice: number): Promise<void> {
    const actions = attentionActionsOf(item);
    const action = actions[choice % actions.length] ?? 'failed';
    const { engine } = this.test;
    await this.#quietly(async () => {
      // Before the decision, because a decision without an answer may have been recorded.
      if (action === 'retry' && item.taskRunId !== null) this.done.delete(item.taskRunId);
      await engine.attention.decide({ id: item.id, action, by: 'ada' });
    });
  }

  judge(): void {
    const { agents, store, lines } = this.test;
    expect(agents.startedTwice).toEqual([]);
    expect(agents.collisions).toEqual([]);
    expect(agents.staleFences).toEqual([]);
    expect(this.wrong).toEqual([]);
    expect(
      lines.filter(
        ({ level, message }) => message === 'defect' || (level === 'error' && /plan|policy/.test(message)),
      ),
    ).toEqual([]);
    for (const { id, kind } of this.accepted) {
      const table = {
        run: store.rows.protocolRuns,
        task: store.rows.taskRuns,
        campaign: store.rows.campaigns,
      }[kind];
      expect(table.has(id)).toBe(true);
    }
    for (const row of store.rows.taskRuns.values()) {
      const uses = isActive(row.state);
      // A failed or stopped attempt may leave a decision about its task to a person.
      if (row.state !== 'needs_attention')
        expect(store.rows.liveAttempts.has(row.id), `${row.name} is ${row.state}`).toBe(uses);
      if (!uses) continue;
      for (const { lab_name, name } of Object.values(row.devices))
        expect(store.rows.allocations.get(`device:${lab_name}.${name}`)?.taskRunId).toBe(row.id);
    }
    for (const row of [...store.rows.taskRuns.values(), ...store.rows.protocolRuns.values()])
      if (isTerminal(row.state)) {
        expect(row.endedAt).not.toBeNull();
        if (row.state !== 'completed') expect(row.reason?.code).toBeTruthy();
      }
  }

  #isSafe(type: string): boolean {
    return this.test.definitions.tasks.get(type)?.task.retry_safe === true;
  }

  #judgeStart(taskRunId: string): void {
    const { rows } = this.test.store;
    const task = rows.taskRuns.get(taskRunId);
    const run = task?.runId == null ? undefined : rows.protocolRuns.get(task.runId);
    if (this.done.has(taskRunId) && task !== undefined && !this.#isSafe(task.type))
      this.wrong.push(`${task.name} began again although it may have done something`);
    if (task === undefined || run === undefined) return;
    const entry = this.test.definitions.protocols
      .get(run.type)
      ?.protocol.tasks.find((each) => each.name === task.name);
    for (const need of entry?.dependencies ?? []) {
      const before = rows.taskRuns.get(rows.tasksOfRun.get(run.id)?.get(need) ?? '');
      const { state, endedAt } = before ?? {};
      if (state !== 'completed') this.wrong.push(`${run.name}/${task.name} began while ${need} was ${state}`);
      const earliest = (endedAt ?? 0) + (entry?.lags?.[need]?.min_lag ?? 0) * 1000;
      if ((task.startedAt ?? 0) < earliest)
        this.wrong.push(`${run.name}/${task.name} began before its least lag after ${need}`);
    }
  }

  async #accept(
    kind: 'run' | 'task' | 'campaign',
    name: string,
    submit: () => Promise<{ id: string }>,
  ): Promise<void> {
    await this.#quietly(async () => {
      const { id } = await submit();
      this.accepted.push({ kind, name, id });
    });
  }

  async #cancel(pick: number): Promise<void> {
    const chosen = this.accepted[pick % Math.max(1, this.accepted.length)];
    if (chosen === undefined) return;
    const { engine } = this.test;
    const { name } = chosen;
    await this.#quietly(() =>
      chosen.kind === 'run'
        ? pick % 3 === 0
          ? engine.work.cancelTask('t0', name)
          : engine.work.cancelProtocolRun(name)
        : chosen.kind === 'task'
          ? engine.work.cancelTask(name)
          : engine.work.cancelCampaign(name),
    );
  }

  /** Pauses or resumes work, also failed and cancelled work. @param what even: pause, odd: resume */
  async #pauseOrResume(pick: number, what: number): Promise<void> {
    const { engine } = this.test;
    const chosen = this.accepted[pick % Math.max(1, this.accepted.length)];
    if (what % 2 === 1) this.#allowAgain(chosen?.id);
    await this.#quietly(async (): Promise<unknown> => {
      if (what === 4) return engine.queuePause.pause('ada');
      if (what === 5) return engine.queuePause.resume('ada');
      if (chosen === undefined || chosen.kind === 'task') return undefined;
      if (chosen.kind === 'run')
        return what % 2 === 0
          ? engine.work.pauseProtocolRun(chosen.name, 'ada')
          : engine.work.resumeProtocolRun(chosen.name, 'ada');
      return what % 2 === 0
        ? engine.work.pauseCampaign(chosen.name, 'ada')
        : engine.work.resumeCampaign(chosen.name, 'ada');
    });
  }

  /** A person who resumes unfinished work has made sure that its tasks may be repeated. */
  #allowAgain(id: string | undefined): void {
    const { protocolRuns, taskRuns } = this.test.store.rows;
    for (const task of taskRuns.values()) {
      const run = protocolRuns.get(task.runId ?? '');
      if (run !== undefined && (run.id === id || run.campaignId === id) && mayBeResumed(run.state))
        this.done.delete(task.id);
    }
  }

  async #registerAll(): Promise<void> {
    for (const computer of ['svc_computer', 'pc'])
      await this.#quietly(() => this.test.agents.register(computer));
  }

  /** Ignores refusals. Any other error is a defect. */
  async #quietly(act: () => Promise<unknown>): Promise<void> {
    let settled = false;
    act().then(
      () => (settled = true),
      (error: unknown) => {
        settled = true;
        if (!(error instanceof ServiceError) || error.code === 'internal') this.wrong.push(String(error));
      },
    );
    for (let wait = 0; wait < 40 && !settled; wait += 1) await this.test.clock.advance(500);
    if (!settled) this.wrong.push('a command was never answered');
  }
}

describe.each(everyPolicy)('any sequence of events, with %s', (name, policy) => {
  it(
    'starts and does nothing twice, gives every device one owner, raises fences, and ends all accepted work with no leftover allocation or question',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(protocol, { minLength: 1, maxLength: 3 }),
          fc.array(delivery, { minLength: 1, maxLength: 23 }),
          fc.array(step, { minLength: 5, maxLength: 40 }),
          async (protocols, deliveries, steps) => {
            const world = new World(protocols, deliveries, policy);
            await world.open();
            for (const each of steps) await world.take(each);
            await world.heal();
            expect(world.open_()).toEqual([]);
            expect(world.test.allocated()).toEqual([]);
            for (const engine of world.test.engines) await engine.stop();
            expect(world.test.clock.pending).toBe(0);
          },
        ),
        { numRuns: name === 'greedy' ? 150 : 75 },
      );
    },
  );

  it('gives the same changes for the same commands at the same times', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(protocol, { minLength: 1, maxLength: 2 }),
        fc.array(delivery, { minLength: 1, maxLength: 7 }),
        fc.array(step, { maxLength: 15 }),
        async (protocols, deliveries, steps) => {
          const play = async () => {
            const world = new World(protocols, deliveries, policy);
            await world.open();
            for (const each of steps) await world.take(each);
            return world.test.store.commits;
          };
          expect(await play()).toEqual(await play());
        },
      ),
      { numRuns: 20 },
    );
  });
});
