import { computers } from '../plan/laboratory.js';
import { computerOf, orchestrators, type Schedule } from '../plan/schedule.js';
import { SimulatedComputer } from '../processes/computer.js';
import { optimizerNode, SimulatedOptimizer } from '../processes/optimizer-worker.js';
import { SimulatedOrchestrator } from '../processes/orchestrator.js';
import { instrumentOf, People } from '../processes/people.js';
import type { Loss } from '../surroundings/history.js';
import type { Instrument } from '../surroundings/instrument.js';
import { Surroundings } from '../surroundings/surroundings.js';

/** Time until the others have heard a restarted process, in milliseconds. */
const returnMs = 2_000;

/** Longest orderly stop together with the restart after it, in milliseconds. */
const leaveMs = 20_000;

/** The whole simulation: the processes of the service and the people, in their surroundings. */
export class World extends Surroundings {
  readonly computers: ReadonlyMap<string, SimulatedComputer>;
  readonly orchestrators: ReadonlyMap<string, SimulatedOrchestrator>;
  readonly optimizer: SimulatedOptimizer;
  readonly people: People;

  constructor(schedule: Schedule) {
    super(schedule);
    this.computers = new Map(computers.map((name) => [name, new SimulatedComputer(name, this)]));
    this.orchestrators = new Map(orchestrators.map((name) => [name, new SimulatedOrchestrator(name, this)]));
    this.optimizer = new SimulatedOptimizer(this);
    this.people = new People(this, this);
  }

  /** Starts all processes, as after a power cut. */
  boot(): void {
    for (const each of [...this.orchestrators.values(), ...this.computers.values()]) each.boot();
    // An optimizer worker without work would test nothing.
    if (this.schedule.protocols.some(({ search }) => search === true)) this.optimizer.boot();
  }

  /** A process by its name. */
  node(who: string): SimulatedComputer | SimulatedOrchestrator | SimulatedOptimizer {
    if (who === optimizerNode) return this.optimizer;
    const found = this.computers.get(who) ?? this.orchestrators.get(who);
    if (found === undefined) throw new Error(`there is no ${who}`);
    return found;
  }

  /** An instrument by `<lab>.<device>`. */
  instrument(key: string): Instrument {
    return instrumentOf(this, key);
  }

  /** Notes in the history that a process is lost to the others for `ms` milliseconds. */
  lose(kind: Loss['kind'], who: string, ms: number): void {
    const at = this.time.now();
    this.history.losses.push({ at, until: at + ms, kind, who });
  }

  /** Ends a process and starts it again after a time, in milliseconds. */
  crash(who: string, ms: number): void {
    const node = this.node(who);
    if (node.life === undefined) return;
    const kind = this.computers.has(who) ? 'agent' : 'orchestrator';
    this.lose(kind, who, ms + returnMs);
    node.crash(ms);
  }

  /** Stops a process in order and starts it again after a time, in milliseconds. */
  leave(who: string, ms: number): void {
    const node = this.node(who);
    if (node.life === undefined || node.life.paused) return;
    this.lose(this.computers.has(who) ? 'agent' : 'orchestrator', who, ms + leaveMs);
    node.leave(ms);
  }

  /** Suspends a process for a time, in milliseconds. */
  pause(who: string, ms: number): void {
    const { life } = this.node(who);
    if (life === undefined || life.paused) return;
    this.history.note(`${who} is stopped`);
    this.lose(this.computers.has(who) ? 'agent' : 'orchestrator', who, ms + returnMs);
    life.pause();
    this.time.after(ms, () => {
      this.history.note(`${who} goes on`);
      life.resume();
    });
  }

  /** Ends the process of a device. */
  killDevice(key: string): void {
    const children = this.computers.get(computerOf(key))?.children;
    for (const child of [...(children?.all ?? [])])
      if (child.kind === 'device' && child.name === key) child.life.end();
  }

  /** Ends a task process that works; without one, a task process that waits. */
  killTask(computer: string): void {
    const tasks = [...(this.computers.get(computer)?.children?.all ?? [])].filter(
      (child) => child.kind === 'task',
    );
    const child = tasks.find((each) => each.working) ?? tasks[0];
    if (child === undefined) return;
    this.lose('task', computer, 0);
    child.life.end();
  }
}
