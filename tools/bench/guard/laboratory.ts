import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres, createDatabase } from '@lab/persistence/embedded';
import { startNats, startServiceStack, type Stack } from '@lab/testkit';
import type { ApiClient } from '@lab/api-client';
import { inFolder, writePackage } from '../../shared/folder.js';
import { isOver, clientOf, devicesIdle } from '../../shared/stack.js';
import { until } from '../../shared/measure.js';
import { RawSender } from '../../shared/raw-sender.js';
import { startFloor } from '../floor/start.js';

/** The service and its floor, side by side on one PostgreSQL server. */

const lab = 'bench_lab';
const farComputer = 'far_computer';

export interface Floor {
  sender: RawSender;
  /** Processes that work for the floor. */
  pids: number[];
}

export interface Service {
  sender: RawSender;
  api: ApiClient;
  /** Processes that work for the service; each has descendants. */
  pids: number[];
  submit(name: string, type: string, more?: object): Promise<void>;
  /** Waits for the end of a task. @throws Error when it is not completed */
  outputsOf(name: string): Promise<Record<string, unknown>>;
}

export interface Laboratory {
  floor: Floor;
  startStack(): Promise<Stack>;
  /** Starts a stack with both computers and gives it to `work`. */
  withService<T>(work: (service: Service) => Promise<T>): Promise<T>;
}

const near = { lab_name: lab, name: 'probe' };
/** What a task is given to call the probe of its own computer. */
export const nearProbe = { devices: { probe: near } };
/**
 * What a task is given to call the probe of another computer. A task runs where most of its devices are; here the computer
 * of the service wins the tie.
 */
export const farProbe = { devices: { here: near, probe: { lab_name: lab, name: 'far_probe' } } };

/** Starts the floor, and stops everything after `work`. */
export async function withLaboratory<T>(work: (laboratory: Laboratory) => Promise<T>): Promise<T> {
  return inFolder('guard', async (folder) => {
    const packages = join(folder, 'packages');
    const device = (computer: string) => ({ desc: 'Notes the time of every call', type: 'probe', computer });
    await writePackage('bench/packages/bench_lab', join(packages, lab), {
      name: lab,
      computers: { [farComputer]: { ip: '192.0.2.10' } },
      devices: { probe: device('svc_computer'), far_probe: device(farComputer) },
    });
    const database = await startPostgres({ dataDir: join(folder, 'database', 'data') });
    const nats = await startNats();
    const agent = await startFloor('agent', nats.url);
    const http = await startFloor('http', nats.url, await createDatabase(database.url, 'floor'));
    const floorSender = new RawSender(`http://127.0.0.1:${http.port}`);
    const dataDir = join(folder, 'service');
    await mkdir(dataDir);
    const startStack = (): Promise<Stack> =>
      startServiceStack({
        dataDir,
        userDir: packages,
        env: { SVC_DATABASE_URL: database.urls.owner },
        readyMs: 180_000,
      });
    try {
      return await work({
        floor: { sender: floorSender, pids: [agent.pid, http.pid, nats.pid, database.pid] },
        startStack,
        async withService(use) {
          const stack = await startStack();
          const sender = new RawSender(stack.url);
          try {
            const far = stack.beside('agent', '--computer', farComputer);
            const api = clientOf(stack.url);
            await devicesIdle(api, 2);
            return await use({
              sender,
              api,
              pids: [stack.pid, far.pid ?? 0, database.pid],
              submit: (name, type, more = {}) => sender.post('/api/tasks', { name, type, ...more }),
              async outputsOf(name) {
                const read = () => api.get('/api/tasks/{task_name}', { path: { task_name: name } });
                const task = await until(read, isOver, 30_000, 5);
                if (task.state !== 'completed')
                  throw new Error(`${name} is ${task.state}: ${JSON.stringify(task.reason)}`);
                return task.output_parameters ?? {};
              },
            });
          } finally {
            sender.close();
            await stack.stop();
          }
        },
      });
    } finally {
      floorSender.close();
      await http.stop();
      await agent.stop();
      await nats.stop();
      await database.stop();
    }
  });
}

/** Starts a process that keeps one processor busy. @returns how to end it */
export function startBusyProcess(): () => void {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  return () => void child.kill('SIGKILL');
}
