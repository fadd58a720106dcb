/** Program of the thread of one simulation. The thread ends with the simulation and touches nothing outside. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Definitions } from '@lab/engine';
import { lowerThreadPriority } from '../priority/index.js';
import type { Found, SimulationAnswer, SimulationOrder } from './simulation-order.js';

// Before the modules are loaded, which alone takes most of a second of a processor.
lowerThreadPriority();
const { toServiceError } = await import('@lab/contracts');
const { estimate, simulate, whatIf } = await import('@lab/simulation');
const { LoadedDefinitions } = await import('../loaded/index.js');

const order = workerData as SimulationOrder;
const ports = { stopwatch: () => performance.now() };

async function answer(): Promise<SimulationAnswer> {
  const definitions = new LoadedDefinitions(order.loaded);
  try {
    return { ok: true, record: await found(definitions) };
  } catch (error) {
    const { code, message, faults } = toServiceError(error, 'none');
    return { ok: false, code, message, faults };
  }
}

function found(definitions: Definitions): Promise<Found[keyof Found]> {
  switch (order.kind) {
    case 'scenario':
      return simulate(order.scenario, definitions, ports, { maxTasks: order.maxTasks });
    case 'what_if':
      return whatIf(order.submission, order.current, definitions, order.scheduler, ports, order.rights);
    case 'estimate':
      return estimate(order.asked, order.current, definitions, order.scheduler, ports, order.rights);
  }
}

parentPort?.postMessage(await answer());
