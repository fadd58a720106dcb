import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@lab/testkit';
import { inTools } from '../../shared/paths.js';
import { inputsOf, type Peer } from './peer.js';
import { jsonBody, request, startDatabase, startProgram, type Program } from './program.js';

/** All managers of its example laboratory. The workcell manager starts last, because it calls the others. */
const managers = ['event', 'resource', 'data', 'location', 'experiment', 'lab'] as const;
const workcell = 'workcell';
const nodes = ['multiplier', 'analyzer'] as const;

const saves = '900 1 300 10 60 10000';

interface Workflow {
  workflow_id: string;
  status: { completed: boolean; failed: boolean; cancelled: boolean; description: string };
  /** UTC, without a zone. */
  end_time: string | null;
}

const step = (name: string, node: string, action: string, args: Record<string, string>) => ({
  name,
  key: name,
  node,
  action,
  use_parameters: { args },
});

/** The campaign of the others as a workflow: each product is fed forward. */
const definition = {
  name: 'optimize_multiplication',
  parameters: {
    json_inputs: [{ key: 'number' }, { key: 'factor_1' }, { key: 'factor_2' }],
    feed_forward: [
      { key: 'product_1', step: 'mult_1', data_type: 'json' },
      { key: 'product_2', step: 'mult_2', data_type: 'json' },
    ],
  },
  steps: [
    step('mult_1', 'multiplier', 'multiply', { number: 'number', factor: 'factor_1' }),
    step('mult_2', 'multiplier', 'multiply', { number: 'product_1', factor: 'factor_2' }),
    step('score_multiplication', 'analyzer', 'score', { number: 'number', product: 'product_2' }),
  ],
};

/**
 * MADSci with all its managers, each in a process of its own as in its compose file, Redis, PostgreSQL and two nodes.
 *
 * @param installation what `installMadsci` made
 * @param folder its data, kept from one start to the next
 * @param intervalS seconds between two passes of its scheduler and two looks at its nodes; undefined: its defaults
 */
export function madsci(title: string, installation: string, folder: string, intervalS?: number): Peer {
  return {
    title,
    async start() {
      await mkdir(folder, { recursive: true });
      const database = await startDatabase(join(folder, 'database'));
      const addresses = new Map<string, string>();
      for (const name of [...managers, workcell, ...nodes])
        addresses.set(name, `http://127.0.0.1:${await freePort()}/`);
      const at = (name: string): string => addresses.get(name) ?? '';
      const cachePort = String(await freePort());
      const env = {
        ...Object.fromEntries(
          [...managers, workcell].map((name) => [`${name.toUpperCase()}_SERVER_URL`, at(name)]),
        ),
        WORKCELL_CACHE_PORT: cachePort,
        LOCATION_CACHE_PORT: cachePort,
        RESOURCE_DB_URL: database.url,
        WORKCELL_NODES: JSON.stringify(Object.fromEntries(nodes.map((name) => [name, at(name)]))),
        ...(intervalS === undefined
          ? {}
          : {
              WORKCELL_SCHEDULER_UPDATE_INTERVAL: String(intervalS),
              WORKCELL_NODE_UPDATE_INTERVAL: String(intervalS),
            }),
      };
      const programs: Program[] = [];
      const python = join(installation, 'venv', 'bin', 'python');
      const launch = async (name: string, script: string, ...args: string[]): Promise<Program> => {
        const named = { NODE_NAME: name, NODE_URL: at(name) };
        const program = await startProgram({
          name,
          command: python,
          args: [inTools(`bench/peers/madsci/${script}`), ...args],
          folder,
          env: { ...env, ...(script === 'node.py' ? named : {}) },
        });
        programs.push(program);
        return program;
      };
      /** Redis with the settings of the compose file of MADSci. */
      const startCache = async (): Promise<void> => {
        const program = await startProgram({
          name: 'redis',
          command: join(installation, 'venv', 'bin', 'redis-server'),
          args: ['--bind', '127.0.0.1', '--port', cachePort, '--appendonly', 'yes', '--save', saves],
          folder,
          env: {},
        });
        programs.push(program);
        await program.ready(() => accepts(Number(cachePort)));
      };
      const manager = async (name: string): Promise<void> => {
        const program = await launch(name, 'manager.py', name);
        await program.ready(async () => (await fetch(`${at(name)}health`)).ok);
      };
      const node = async (name: string): Promise<void> => {
        const program = await launch(name, 'node.py');
        await program.ready(async () => (await fetch(`${at(name)}status`)).ok);
      };
      const nodesReady = async (): Promise<boolean> => {
        const known = (await request(`${at(workcell)}nodes`)) as Record<
          string,
          { status?: { ready?: boolean } }
        >;
        return nodes.every((name) => known[name]?.status?.ready === true);
      };
      const stop = async (): Promise<void> => {
        const [cache, ...others] = programs;
        await Promise.all(others.map((program) => program.stop()));
        await cache?.stop();
        await database.stop();
      };
      let readyS: number;
      try {
        await startCache();
        const begin = performance.now();
        await Promise.all([...managers.map(manager), ...nodes.map(node)]);
        await manager(workcell);
        await programs.at(-1)?.ready(nodesReady);
        readyS = (performance.now() - begin) / 1_000;
      } catch (error) {
        await stop();
        throw error;
      }
      return {
        readyS,
        pids: [...programs.map(({ pid }) => pid), database.pid],
        campaign: (_name, runs, atOnce) => campaign(at(workcell), runs, atOnce),
        stop,
      };
    },
  };
}

/** Whether something listens on the port. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}

/** MADSci has no campaigns: an application submits workflows, here at most `atOnce` before their end. */
async function campaign(url: string, runs: number, atOnce: number): Promise<number> {
  const id = await request(`${url}workflow_definition`, jsonBody(definition));
  const begin = Date.now();
  let started = 0;
  let end = begin;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (started < runs) {
        const inputs = inputsOf((started += 1));
        end = Math.max(end, await runWorkflow(url, String(id), inputs));
      }
    }),
  );
  return (end - begin) / 1_000;
}

/** @returns when it ended, in milliseconds since 1970 */
async function runWorkflow(
  url: string,
  id: string,
  { number, factor, secondFactor }: ReturnType<typeof inputsOf>,
): Promise<number> {
  const json_inputs = JSON.stringify({ number, factor_1: factor, factor_2: secondFactor });
  const body = new URLSearchParams({ workflow_definition_id: id, json_inputs });
  const { workflow_id } = (await request(`${url}workflow`, { method: 'POST', body })) as Workflow;
  for (;;) {
    await delay(100);
    const { status, end_time } = (await request(`${url}workflow/${workflow_id}`)) as Workflow;
    if (status.failed || status.cancelled)
      throw new Error(`A workflow of MADSci ended: ${status.description}`);
    if (status.completed && end_time !== null)
      return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(end_time) ? end_time : `${end_time}Z`);
  }
}
