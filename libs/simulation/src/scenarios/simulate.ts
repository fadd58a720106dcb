import type { SimulationRecord, SimulationScenario } from '@lab/contracts';
import type { Definitions } from '@lab/engine';
import {
  Laboratory,
  type Luck,
  type SimulationPorts,
  courseOf,
  policyOf,
  Twins,
} from '../laboratory/index.js';
import { recordOf } from '../results/index.js';
import { type Arrival, arrivalsOf, definitionsFor, refused } from './scenario.js';

/** Default of the greatest number of tasks in a simulation. */
export const defaultMaxTasks = 20_000;
/** Default duration of a simulation, in seconds. */
const defaultHorizon = 30 * 86_400;
/** Start of every simulation, in milliseconds since 1970. Records count from it. */
const beginning = 1_700_000_000_000;

/**
 * Simulates the work of a scenario with the engine and policy of the real laboratory. The same scenario gives the same
 * record, except for the time that planning took.
 *
 * @param scenario validated by its class in `@lab/contracts`
 * @param definitions the loaded definitions; the simulation sees those that the scenario selects
 * @param options.maxTasks greatest number of tasks; default {@link defaultMaxTasks}
 * @throws ServiceError `invalid` with every fault of the scenario; `aborted` when `shouldStop` returned true
 */
export async function simulate(
  scenario: SimulationScenario,
  definitions: Definitions,
  ports: SimulationPorts,
  options: { maxTasks?: number } = {},
): Promise<SimulationRecord> {
  const scheduler = scenario.scheduler ?? {};
  const loaded = definitionsFor(scenario, definitions);
  const { arrivals, durations } = arrivalsOf(scenario, loaded, options.maxTasks ?? defaultMaxTasks);
  const luck: Luck = {
    jitter: scenario.jitter ?? 0,
    seed: scenario.seed ?? 1,
    durations: scenario.durations ?? {},
    paces: scenario.paces ?? [],
    failures: scenario.failures ?? [],
    calls: scenario.calls ?? [],
    expected: (task) => (task.runId === null ? (durations.get(task.name) ?? null) : null),
  };
  const twins = new Twins(loaded.labs(), beginning);
  const gates = new Gates((arrival) => submit(arrival));
  const laboratory: Laboratory = new Laboratory({
    definitions: loaded,
    policy: (parts) => policyOf(scheduler, parts),
    ports,
    courseOf: (start) => {
      const { store, clock } = laboratory;
      try {
        return courseOf(store.rows, luck, start, { twins, now: clock.now() });
      } catch (error) {
        // Only a call of a twin can be wrong. Which device a task gets is known now at the earliest.
        laboratory.fail(error);
        return courseOf(store.rows, { ...luck, calls: [] }, start);
      }
    },
    now: beginning,
    onRunOver: (name) => gates.over(name),
  });
  const submit = (arrival: Arrival): void => {
    arrival.submit(laboratory.engine).catch((error: unknown) => laboratory.fail(refused(arrival, error)));
  };
  try {
    await laboratory.engine.start('simulation');
    await laboratory.agents.begin(loaded.labs());
    for (const { device, at, for: duration } of scenario.losses ?? []) {
      laboratory.after(at * 1000, () => laboratory.setOutOfOrder(device, true));
      if (duration !== undefined)
        laboratory.after((at + duration) * 1000, () => laboratory.setOutOfOrder(device, false));
    }
    for (const arrival of arrivals) laboratory.after(arrival.at, () => gates.arrived(arrival));
    const outcome = await laboratory.run(beginning + (scenario.horizon ?? defaultHorizon) * 1000);
    laboratory.history.close();
    return recordOf(laboratory, {
      outcome,
      beginning,
      labs: loaded.labs(),
      scheduler: scheduler.type ?? 'greedy',
      jitter: luck.jitter,
      seed: luck.seed,
    });
  } finally {
    await laboratory.stop();
  }
}

/** Delays runs while enough runs of their group are unfinished. */
class Gates {
  readonly #waiting = new Map<string, Arrival[]>();
  readonly #underWay = new Map<string, number>();
  readonly #groupOf = new Map<string, { group: string; most: number }>();

  constructor(private readonly submit: (arrival: Arrival) => void) {}

  arrived(arrival: Arrival): void {
    if (arrival.gate === null) return this.submit(arrival);
    this.#groupOf.set(arrival.name, arrival.gate);
    const waiting = this.#waiting.get(arrival.gate.group) ?? [];
    waiting.push(arrival);
    this.#waiting.set(arrival.gate.group, waiting);
    this.#let(arrival.gate);
  }

  over(name: string): void {
    const gate = this.#groupOf.get(name);
    if (gate === undefined) return;
    this.#underWay.set(gate.group, (this.#underWay.get(gate.group) ?? 1) - 1);
    this.#let(gate);
  }

  #let({ group, most }: { group: string; most: number }): void {
    const waiting = this.#waiting.get(group) ?? [];
    while (waiting.length > 0 && (this.#underWay.get(group) ?? 0) < most) {
      const next = waiting.shift();
      if (next === undefined) return;
      this.#underWay.set(group, (this.#underWay.get(group) ?? 0) + 1);
      this.submit(next);
    }
  }
}
