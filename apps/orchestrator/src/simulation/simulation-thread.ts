import { parentPort, workerData } from 'node:worker_threads';
import { toServiceError } from '@lab/contracts';
import { simulate, whatIf } from '@lab/simulation';
import { LoadedDefinitions } from '../definitions/loaded-definitions.js';
import type { SimulationAnswer, SimulationOrder } from './simulation-order.js';

/** The thread of one simulation: it ends with it, and touches nothing outside. */

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
