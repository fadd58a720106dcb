import type { Side } from '../surroundings/fault-points.js';
import type { Life } from '../surroundings/life.js';
import { gateway } from '../processes/people.js';
import type { Fault } from '../plan/schedule.js';
import { optimizerNode } from '../processes/optimizer-worker.js';
import type { World } from './world.js';

type PointFault = Extract<Fault, { kind: 'point' }>;

/** Sets up the faults of a schedule. @param from moment from which their times count */
export function injectFaults(world: World, from: number): void {
  const points: PointFault[] = [];
  for (const fault of world.schedule.faults) {
    if (fault.kind === 'point') points.push(fault);
    else if ('at' in fault)
      world.time.after(from + fault.at - world.time.now(), () => {
        world.history.note('FAULT', fault);
        inject(world, fault);
      });
  }
  if (points.length > 0) listen(world, points);
}

/** When the last fault of a schedule is over, in milliseconds after the laboratory is up. */
export function endOfFaults(faults: readonly Fault[]): number {
  const ends = faults.map((fault) => ('at' in fault ? fault.at + ('ms' in fault ? fault.ms : 0) : 0));
  return Math.max(0, ...ends);
}

function inject(world: World, fault: Extract<Fault, { at: number }>): void {
  const { time, network, database, objectStore } = world;
  switch (fault.kind) {
    case 'crash':
      return world.crash(fault.who, fault.ms);
    case 'pause':
      return world.pause(fault.who, fault.ms);
    case 'cut':
      return network.cut(fault.who, fault.how, fault.ms);
    case 'broker':
      return network.restartBroker(fault.ms);
    case 'database':
      database.away = true;
      time.after(fault.ms, () => (database.away = false));
      return;
    case 'object_store':
      objectStore.away = true;
      time.after(fault.ms, () => (objectStore.away = false));
      return;
    case 'slow':
      network.slowMs = fault.upToMs;
      time.after(fault.ms, () => (network.slowMs = 0));
      return;
    case 'disk_full': {
      const disk = world.computers.get(fault.who)?.disk;
      disk?.full(true);
      time.after(fault.ms, () => disk?.full(false));
      return;
    }
    case 'leave':
      return world.leave(fault.who, fault.ms);
    case 'init_fails':
      world.instrument(fault.device).failsToHome = true;
      return;
    case 'device_dies':
      return world.killDevice(fault.device);
    case 'optimizer_dies':
      return world.optimizer.killSessions();
    case 'task_dies':
      return world.killTask(fault.who);
  }
}

function listen(world: World, faults: readonly PointFault[]): void {
  world.points.listener = (point: string, side: Side, n: number, life: Life) => {
    for (const fault of faults) {
      if (fault.point !== point || fault.side !== side || fault.n !== n) continue;
      world.history.note('FAULT', fault);
      strike(world, fault, life);
    }
  };
}

function strike(world: World, { action, ms }: PointFault, life: Life): void {
  if (life.node === gateway) {
    // The gateway keeps no state here, so its loss only means that it does not answer.
    world.network.cut(gateway, 'closed', ms);
    return;
  }
  const known =
    world.computers.has(life.node) || world.orchestrators.has(life.node) || life.node === optimizerNode;
  if (!known) {
    // A child process ends when it loses its channel to the agent.
    if (action === 'stop') {
      loseChild(world, life, ms);
      life.pause();
      world.time.after(ms, () => life.resume());
    } else {
      if (life.node.startsWith('task ')) loseChild(world, life, 0);
      life.end();
    }
    return;
  }
  if (action === 'kill') world.crash(life.node, ms);
  else if (action === 'stop') world.pause(life.node, ms);
  else world.network.cut(life.node, 'closed', ms);
}

function loseChild(world: World, { node }: Life, ms: number): void {
  const [kind = '', name = ''] = node.split(' ');
  if (kind === 'device') world.lose('device', name, ms);
  else world.lose('task', name.slice(0, name.indexOf('/')), ms);
}
