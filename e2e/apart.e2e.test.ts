import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentRecord, ProtocolRunSubmission } from '@lab/contracts';
import { actKeys, freePort } from '@lab/testkit';
import { testNats, testPostgres } from '@lab/testkit/testing';
import { Api, eventually, isOver } from './api.js';

/**
 * Each process runs by itself, as on its own computer. The agent has an empty data folder and no packages. It knows
 * only the address of the broker.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const svc = join(root, 'apps', 'cli', 'bin', 'svc.mjs');

let nats: Awaited<ReturnType<typeof testNats>>;
let postgres: Awaited<ReturnType<typeof testPostgres>>;
let folder = '';
let api: Api;
const processes: ChildProcess[] = [];

function start(
  args: string[],
  env: Record<string, string>,
  stderr: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  const child = spawn(process.execPath, [svc, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', stderr],
  });
  processes.push(child);
  return child;
}

beforeAll(async () => {
  [nats, postgres] = await Promise.all([testNats(), testPostgres()]);
  const { url: databaseUrl } = await postgres.freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'svc-apart-'));
  const port = String(await freePort());
  await mkdir(join(folder, 'nothing'));
  const common = {
    SVC_NATS_URL: nats.url,
    SVC_DATABASE_URL: databaseUrl,
    SVC_UPLOAD_SECRET: 'a secret of this test, long enough to be one',
    ...actKeys(),
    SVC_HTTP_PORT: port,
    SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
    SVC_DATA_DIR: join(folder, 'central'),
    SVC_USER_DIR: join(root, 'lab-packages'),
    SVC_LABS: 'color_lab',
  };
  start(['orchestrator'], common);
  start(['gateway'], common);
  start(['agent', '--computer', 'svc_computer'], {
    SVC_NATS_URL: nats.url,
    SVC_DATA_DIR: join(folder, 'agent'),
    SVC_USER_DIR: join(folder, 'nothing'),
  });
  api = new Api(`http://127.0.0.1:${port}`);
  await eventually(
    () => api.devices().catch(() => []),
    (devices) =>
      Array.isArray(devices) && devices.length === 6 && devices.every((each) => each.state === 'idle'),
    60_000,
  );
});

afterAll(async () => {
  for (const child of processes.reverse()) {
    if (child.exitCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
  await Promise.all([nats?.stop(), postgres?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** Starts the agent of a computer with an empty data folder. */
function agentOf(computer: string): ChildProcess {
  const env = { SVC_NATS_URL: nats.url, SVC_DATA_DIR: join(folder, computer) };
  return start(['agent', '--computer', computer], env, 'pipe');
}

/** What a process says on standard error until it ends. */
async function lastWords(process: ChildProcess): Promise<{ said: string; code: number | null }> {
  let said = '';
  process.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(process, 'close')) as [number | null];
  return { said, code };
}

/** The computers with an agent, or in a loaded laboratory. */
async function computers(): Promise<string[]> {
  return (await api.all<AgentRecord>('/api/agents')).map(({ computer }) => computer);
}

describe('an agent of another computer', () => {
  it('is refused while the first agent of its computer is connected, touches no device, and ends with 1', async () => {
    const history = () =>
      api.all<{ type: string }>('/api/events/history?aggregate=device/color_lab.robot_arm');
    // The state of a device is shown as soon as its agent reports it. Its event is recorded a moment later.
    const before = await eventually(history, (events) => events.at(-1)?.type === 'device.idle');
    const second = await lastWords(agentOf('svc_computer'));
    expect(second.said).toContain('another agent of computer svc_computer is connected');
    expect(second.code).toBe(1);
    expect(await history()).toEqual(before);
    const agents = await api.all<AgentRecord>('/api/agents');
    expect(agents.find(({ computer }) => computer === 'svc_computer')?.state).toBe('online');
  }, 60_000);

  it('says in one sentence that no laboratory names its computer, and ends with 1', async () => {
    const { said, code } = await lastWords(agentOf('bench_x'));
    expect(said).toContain(
      'agent cannot start: no laboratory names a computer bench_x; did you mean bench_b?',
    );
    expect(said).toContain('bench_b, svc_computer)\n');
    expect(code).toBe(1);
    expect(await computers()).not.toContain('bench_x');
  });

  it('registers although the laboratory that names its computer is not loaded', async () => {
    agentOf('bench_b').stderr?.resume();
    await eventually(computers, (known) => known.includes('bench_b'));
  });
});

describe('an agent with an empty cache and no packages', () => {
  it('fetches the code of its devices and tasks and runs the color lab', async () => {
    const example = JSON.parse(
      await readFile(join(root, 'lab-packages', 'color_lab', 'examples', 'run.json'), 'utf8'),
    ) as ProtocolRunSubmission;
    expect((await api.submit('protocols', example)).status).toBe(201);
    const run = await eventually(() => api.run(example.name), isOver, 60_000);
    expect([run.state, run.reason]).toEqual(['completed', null]);

    const modules = await readdir(join(folder, 'agent', 'agents', 'svc_computer', 'modules'));
    // Four types of device and seven of task.
    expect(modules.filter((name) => name.endsWith('.mjs'))).toHaveLength(11);
    expect(await readdir(join(folder, 'nothing'))).toEqual([]);
  });

  it('sends its files to the gateway', async () => {
    const run = await api.run('first_mix');
    const files = run.tasks.flatMap((task) =>
      task.output_files.map((file) => ({ task: task.name, ...file })),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const { task, name, size } of files) {
      const path = `/api/tasks/${task}/files/${encodeURIComponent(name)}?protocol_run_name=first_mix`;
      const content = await fetch(`${api.url}${path}`);
      expect((await content.arrayBuffer()).byteLength).toBe(size);
    }
  });
});
