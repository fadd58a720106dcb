import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DrainRecord, QueuePage, ResourceRecord } from '@lab/contracts';
import { expect } from 'vitest';
import { eventually } from './api.js';
import { startLab, type Lab } from './lab.js';

/** Campaigns of both shipped labs, on one data folder, that are stopped in every way and continue after the next start. */

const sweep = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '..', 'lab-packages', 'color_lab', 'examples', 'sweep.json'),
    'utf8',
  ),
) as { name: string; max_protocol_runs: number };

const products = {
  name: 'products',
  protocol: 'slow_multiplication',
  max_protocol_runs: 12,
  max_concurrent_protocol_runs: 2,
  global_parameters: { wait: { seconds: 0.5 } },
};

export const campaigns = [sweep, products];

export const start = (dataDir: string): Promise<Lab> =>
  startLab(['color_lab', 'multiplication_lab'], { dataDir, idle: false });

/** Ways to stop the service, and what a person does after the next start, as docs/guide/operating.md says. */
export const ways = {
  'drain, Ctrl-C': {
    async stop({ api, stack }: Lab): Promise<void> {
      await svc(stack, 'drain', '--wait');
      const { body } = await api.call<DrainRecord>('GET', '/api/queue/drain');
      expect(body).toMatchObject({ draining: true, drained: true, unfinished: [] });
      await stack.stop();
    },
    async goOn({ api, stack }: Lab): Promise<void> {
      expect(await api.attention()).toEqual([]);
      await svc(stack, 'drain', '--end');
    },
  },
  'queue pause, Ctrl-C': {
    async stop({ api, stack }: Lab): Promise<void> {
      await api.call('POST', '/api/queue/pause', {});
      await eventually(
        async () => (await api.call<QueuePage>('GET', '/api/queue')).body,
        ({ running }) => running === 0,
      );
      await stack.stop();
    },
    async goOn({ api }: Lab): Promise<void> {
      expect(await api.attention()).toEqual([]);
      await api.call('POST', '/api/queue/resume', {});
    },
  },
  'Ctrl-C in the middle': {
    async stop({ api, stack }: Lab): Promise<void> {
      await eventually(
        () => api.devices(),
        (devices) => devices.some(({ doing }) => doing?.function === 'mix'),
      );
      await stack.stop();
    },
    async goOn(lab: Lab): Promise<void> {
      // The instruments go on while the gateway stops. If every effect ended by itself in this time, there is no question.
      await eventually(
        async () =>
          /[1-9]\d* questions? waits? for a decision: svc attention/.test(lab.stack.output()) ||
          ((await lab.api.attention()).length === 0 && (await isUsable(lab))),
        (isAsked) => isAsked,
      );
      await answerQuestions(lab);
    },
  },
  'SIGKILL to every process': {
    stop: ({ stack }: Lab): Promise<void> => killAll(stack.pid).then(() => stack.kill()),
    goOn: answerQuestions,
  },
} satisfies Record<string, { stop(lab: Lab): Promise<void>; goOn(lab: Lab): Promise<void> }>;

/** Types a command, which must succeed. */
async function svc(stack: Lab['stack'], ...args: string[]): Promise<void> {
  const [code] = (await once(stack.beside(...args), 'exit')) as [number];
  expect([args, code, stack.output().split('\n').slice(-5)]).toEqual([args, 0, expect.anything()]);
}

/** Whether every device of the service's own computer can be used. */
async function isUsable({ api }: Lab): Promise<boolean> {
  const devices = await api.devices();
  return devices.every(
    ({ computer, state }) => computer !== 'svc_computer' || state === 'idle' || state === 'busy',
  );
}

/** Answers each question: the device stands still, and the task is tried again. */
async function answerQuestions(lab: Lab): Promise<void> {
  const { api } = lab;
  const isSettled = async (): Promise<boolean> => {
    const open = await api.attention();
    for (const { id, kind, actions } of open) {
      const action = kind === 'device' ? 'idle' : 'retry';
      if (!actions.includes(action)) throw new Error(`"${action}" is not among ${actions.join(', ')}`);
      const { status, body } = await api.resolve(id, { action });
      // A question about a device closes by itself if the device is reported as idle meanwhile.
      if (status !== 200 && kind === 'task') throw new Error(JSON.stringify(body));
    }
    return open.length === 0 && (await isUsable(lab));
  };
  await eventually(isSettled, (isDone) => isDone);
}

/** Kills a process and all its descendants at once, as a power cut does. */
async function killAll(root: number): Promise<void> {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const parents = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  for (const pid of tree) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** The beakers of the color lab that do not stand on the shelf, clean. */
export async function beakersAstray({ api }: Lab): Promise<ResourceRecord[]> {
  const all = await api.all<ResourceRecord>('/api/resources');
  return all.filter(
    ({ type, meta }) => type === 'beaker' && (meta['location'] !== 'shelf' || meta['volume'] !== 0),
  );
}
