import type { DeviceAssignment, FromDevice, FromTask, ToDevice, ToTask } from '@lab/contracts';
import type { DeviceProcesses, ProcessExit, ProcessHandle, TaskProcesses } from '@lab/actors';
import type { Points } from './fault-points.js';
import type { History } from './history.js';
import { Life } from './life.js';
import type { SimulatedTime } from './simulated-time.js';

/** Latency of a message between an agent and its child process, in milliseconds. */
const ipcMs = 0.05;

interface Parts {
  time: SimulatedTime;
  points: Points;
  history: History;
}

/** A child process, for faults to hit. */
export interface Child {
  readonly kind: 'device' | 'task';
  /** `<lab>.<device>`; for a task process `<computer>/<number>`. */
  readonly name: string;
  readonly life: Life;
  /** The process has got a call or task and has not answered. */
  readonly working: boolean;
}

/**
 * The child processes of one agent process. Each has a life of its own: it may die or be suspended alone. Its messages
 * reach the agent only while the agent lives, and wait while the agent is suspended.
 */
export class Children {
  readonly all = new Set<Child>();
  #tasks = 0;

  constructor(
    private readonly agent: Life,
    private readonly parts: Parts,
  ) {
    // A child notices at once that its channel is gone.
    agent.onEnd(() => {
      for (const child of [...this.all]) child.life.end();
    });
  }

  devices(inner: DeviceProcesses): DeviceProcesses {
    return {
      start: (device: DeviceAssignment) =>
        this.#adopt<ToDevice, FromDevice>('device', `${device.lab}.${device.name}`, () =>
          inner.start(device),
        ),
    };
  }

  tasks(inner: TaskProcesses): TaskProcesses {
    return {
      start: (runtime) =>
        this.#adopt<ToTask, FromTask>('task', `${this.agent.node}/${(this.#tasks += 1)}`, () =>
          inner.start(runtime),
        ),
    };
  }

  #adopt<To extends { type: string }, From extends { type: string }>(
    kind: 'device' | 'task',
    name: string,
    start: () => ProcessHandle<To, From>,
  ): ProcessHandle<To, From> {
    const { time, points, history } = this.parts;
    const { agent, all } = this;
    if (!agent.alive) return dead;
    const life = new Life(`${kind} ${name}`, time);
    const inner = start();
    const child = { kind, name, life, working: false };
    all.add(child);
    let exited: (exit: ProcessExit) => void = () => undefined;
    const gone = (exit: ProcessExit): void => {
      if (!all.delete(child)) return;
      if (kind === 'device') history.losses.push({ at: time.now(), until: time.now(), kind, who: name });
      life.end();
      time.after(ipcMs, () => agent.act(() => exited(exit)));
    };
    life.onEnd(() => {
      if (!all.has(child)) return;
      history.note(`${kind} process ${name} dies`);
      inner.kill('SIGKILL');
      gone({ code: null, signal: 'SIGKILL', lastStderr: null });
    });
    inner.onExit((exit) => gone(exit));
    return {
      send: (message) => {
        const point = `tell ${kind} ${message.type}`;
        points.reach(point, 'before', agent);
        agent.act(() => {
          time.after(ipcMs, () =>
            life.act(() => {
              if (message.type === 'call' || message.type === 'run') child.working = true;
              inner.send(message);
            }),
          );
          points.reach(point, 'after', agent);
        });
      },
      onMessage: (listener) =>
        inner.onMessage((message) => {
          const point = `hear ${kind} ${message.type}`;
          points.reach(point, 'before', life);
          life.act(() => {
            if (message.type !== 'log' && message.type !== 'call') child.working = false;
            time.after(ipcMs, () => agent.act(() => listener(message)));
            points.reach(point, 'after', life);
          });
        }),
      onExit: (listener) => {
        exited = listener;
      },
      kill: (signal) =>
        agent.act(() => {
          if (signal === 'SIGKILL') life.end();
          else life.act(() => inner.kill(signal));
        }),
    };
  }
}

/** The child of a dead agent: it does nothing. */
const dead = {
  send: () => undefined,
  onMessage: () => undefined,
  onExit: () => undefined,
  kill: () => undefined,
};
