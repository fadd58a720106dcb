/** Program of the thread of one simulation: it ends with it, and touches nothing outside. */
import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../solver/low-priority.js';
import type { SimulationAnswer, SimulationOrder } from './simulation-order.js';

// Before anything is loaded, which alone takes most of a second of a processor.
lowerThreadPriority();
const { toServiceError } = await import('@lab/contracts');
const { simulate, whatIf } = await import('@lab/simulation');
const { LoadedDefinitions } = await import('../definitions/loaded-definitions.js');

const order = workerData as SimulationOrder;
const ports = { stopwatch: () => performance.now() };

async function answer(): Promise<SimulationAnswer> {
  const definitions = new LoadedDefinitions(order.loaded);
  try {
    const record =
      order.kind === 'scenario'
        ? await simulate(order.scenario, definitions, ports, { maxTasks: order.maxTasks })
        : await whatIf(order.submission, order.present, definitions, order.scheduler, ports);
    return { ok: true, record };
  } catch (error) {
    const { code, message, faults } = toServiceError(error, 'none');
    return { ok: false, code, message, faults };
  }
}

parentPort?.postMessage(await answer());
