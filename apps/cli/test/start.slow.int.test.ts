import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@lab/messaging';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually, occupiedPort, StandInStack, survivors, type Listed } from './stand-in-stack.js';

interface Answer {
  pid: number;
  environment: string[];
  brokerPort: string;
  databasePort: string;
}

let template: string;
const folders: string[] = [];
const stacks: StandInStack[] = [];
const seen: Listed[] = [];

/** Starts a stack on a copy of a data folder whose database exists already. */
function start(
  env: Record<string, string> = {},
  dataDir?: string,
  how: { inShell?: boolean } = {},
): StandInStack {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'svc-start-'));
  if (dataDir === undefined) {
    folders.push(folder);
    cpSync(template, folder, { recursive: true });
  }
  const stack = new StandInStack(folder, env, how);
  stacks.push(stack);
  return stack;
}

async function get(url: string, path = '/'): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(2_000) });
  return (await response.json()) as Answer;
}

function remember(stack: StandInStack): Listed[] {
  const listed = stack.processes();
  seen.push(...listed);
  return listed;
}

/** Processes whose command line names the folder. */
function namingFolder(folder: string): string {
  return execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder))
    .join('\n');
}

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'svc-template-'));
  const stack = new StandInStack(template, {});
  await stack.ready();
  stack.signal('SIGTERM');
  expect(await stack.exited).toBe(0);
});

afterEach(async () => {
  for (const stack of stacks.splice(0)) {
    stack.signal('SIGTERM');
    stack.signal('SIGTERM');
    await stack.exited;
  }
  expect(await survivors(seen.splice(0), 15_000)).toEqual([]);
  for (const folder of folders.splice(0)) {
    // The guard of a killed stack ends last.
    await vi.waitFor(() => expect(namingFolder(folder)).toBe(''), { timeout: 15_000, interval: 100 });
    rmSync(folder, { recursive: true, force: true });
  }
});

afterAll(() => rmSync(template, { recursive: true, force: true }));

describe('a starting stack', () => {
  it('prints its address in one line once everything serves, and ends with 0 on a signal without leftovers', async () => {
    const stack = start();
    const url = await stack.ready();
    const names = remember(stack).map(({ name }) => name);
    expect(names.sort()).toEqual([
      'agent',
      'gateway',
      'nats-server',
      'optimizer',
      'orchestrator',
      'postgres',
    ]);
    expect((await get(url)).pid).toBe(stack.process('gateway').pid);

    stack.signal('SIGINT');
    expect(await stack.exited).toBe(0);
    expect(await survivors(seen, 0)).toEqual([]);
    expect(stack.out).toEqual([`ready ${url}`]);
    expect(existsSync(join(stack.dataDir, 'run', 'processes.json'))).toBe(false);
  });

  it('runs the configured number of orchestrators, each with its own log, and replaces any that ends', async () => {
    const stack = start({ SVC_ORCHESTRATORS: '2' });
    await stack.ready();
    const before = remember(stack);
    expect(
      before
        .map(({ name }) => name)
        .filter((name) => name.startsWith('orchestrator'))
        .sort(),
    ).toEqual(['orchestrator', 'orchestrator-2']);
    expect(existsSync(join(stack.dataDir, 'logs', 'orchestrator-2.log'))).toBe(true);
    const { pid } = stack.process('orchestrator-2');
    process.kill(pid, 'SIGKILL');
    await stack.line(/orchestrator-2.*(ended|exited|killed|SIGKILL)/);
    await eventually(
      () => stack.process('orchestrator-2').pid,
      (other) => other !== pid,
    );
    remember(stack);
  });

  it('gives secrets to its services only as private files, and its broker refuses everybody else', async () => {
    const stack = start();
    const { environment } = await get(await stack.ready());
    remember(stack);
    expect(environment).toContain('SVC_NATS_URL_FILE');
    expect(environment).toContain('SVC_NATS_CREDENTIALS_FILE');
    const named = /^SVC_(NATS_URL|NATS_CREDENTIALS|DATABASE_URL|UPLOAD_SECRET|ACT_KEY)$/;
    expect(environment.filter((name) => named.test(name))).toEqual([]);
    const secrets = join(stack.dataDir, 'secrets');
    expect(statSync(secrets).mode & 0o777).toBe(0o700);
    const processes = ['gateway-gateway', 'orchestrator-orchestrator', 'agent-svc_computer'];
    const credentials = processes.map((name) => `nats-credentials-${name}`);
    for (const name of [
      'nats-url',
      'database-owner-url',
      'database-orchestrator-url',
      'database-gateway-url',
      'postgres-password',
      'upload-secret',
      'act-key',
      'broker-keys',
      'broker-access',
      ...credentials,
    ]) {
      expect(statSync(join(secrets, name)).mode & 0o777, name).toBe(0o600);
    }
    const url = readFileSync(join(secrets, 'nats-url'), 'utf8').trim();
    await expect(connectBus({ url, role: 'tool', name: 'stranger' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });

  it('keeps the output of its services in their log files and echoes warnings, with secrets concealed', async () => {
    const stack = start();
    const url = await stack.ready();
    remember(stack);
    await get(url, '/warn');
    expect(await stack.line(/kettle/)).toBe('gateway: the kettle is hot');
    const log = readFileSync(join(stack.dataDir, 'logs', 'gateway.log'), 'utf8');
    expect(log).toContain('"password":"[secret]"');
    expect(log).not.toContain('hunter2');
  });

  it('uses a configured address instead of starting its own server', async () => {
    const stack = start({ SVC_NATS_URL: 'nats://127.0.0.1:4999' });
    const answer = await get(await stack.ready());
    expect(answer.brokerPort).toBe('4999');
    expect(remember(stack).map(({ name }) => name)).not.toContain('nats-server');
  });
});

describe('a process of the stack that ends', () => {
  it('is restarted, and the other processes keep running', async () => {
    const stack = start();
    const url = await stack.ready();
    const before = remember(stack);
    await get(url, '/crash').catch((error: unknown) => expect(error).toBeInstanceOf(TypeError));
    expect(await stack.line(/gateway ended/)).toContain('exit code 3');
    await stack.line(/gateway serves again/);
    const { pid } = await get(url);
    expect(pid).not.toBe(before.find(({ name }) => name === 'gateway')?.pid);
    const others = (list: Listed[]): number[] =>
      list.filter(({ name }) => name !== 'gateway').map((each) => each.pid);
    expect(others(remember(stack)).sort()).toEqual(others(before).sort());
  });

  it.each(['nats-server', 'postgres'])('returns under the same address: %s', async (name) => {
    const stack = start();
    const url = await stack.ready();
    const before = await get(url);
    remember(stack);
    process.kill(stack.process(name).pid, 'SIGKILL');
    await stack.line(new RegExp(`^${name} serves again`));
    remember(stack);
    await get(url, '/crash').catch((error: unknown) => expect(error).toBeInstanceOf(TypeError));
    await stack.line(/gateway serves again/);
    remember(stack);
    const after = await get(url);
    expect([after.brokerPort, after.databasePort]).toEqual([before.brokerPort, before.databasePort]);
  });
});

describe('a killed stack', () => {
  it('leaves no process behind', async () => {
    const stack = start();
    await stack.ready();
    const listed = remember(stack);
    stack.signal('SIGKILL');
    expect(await survivors(listed, 15_000)).toEqual([]);
  });

  it('leaves no process behind when it is killed during its start', async () => {
    const stack = start({ STAND_IN: 'hang' });
    await eventually(
      () => remember(stack).map(({ name }) => name),
      (names) => names.includes('agent'),
    );
    stack.signal('SIGKILL');
    expect(await survivors(seen, 15_000)).toEqual([]);
    await eventually(
      () => namingFolder(stack.dataDir),
      (found) => found === '',
    );
  });

  it('can be restarted at once on the same data folder and port', async () => {
    const first = start();
    const url = await first.ready();
    remember(first);
    first.signal('SIGKILL');
    await first.exited;
    const second = start({ SVC_HTTP_PORT: new URL(url).port }, first.dataDir);
    expect(await second.ready()).toBe(url);
    remember(second);
    expect((await get(url)).pid).toBe(second.process('gateway').pid);
  });

  it('is cleaned up by its successor when its guard was killed too', async () => {
    const first = start();
    const url = await first.ready();
    const listed = remember(first);
    const guard = namingFolder(join(first.dataDir, 'lock')).trim().split(' ')[0];
    process.kill(Number(guard), 'SIGKILL');
    first.signal('SIGKILL');
    await first.exited;
    const second = start({ SVC_HTTP_PORT: new URL(url).port }, first.dataDir);
    await second.ready();
    remember(second);
    expect(await survivors(listed, 0)).toEqual([]);
  });
});

describe('a stack that cannot start', () => {
  it('says in one sentence that another stack uses the data folder, and does not touch that stack', async () => {
    const first = start();
    const url = await first.ready();
    remember(first);
    const second = start({}, first.dataDir);
    expect(await second.exited).toBe(1);
    expect(second.err).toEqual([
      `Another stack (process ${first.pid}) uses the data folder ${first.dataDir}; stop it, or choose another folder with SVC_DATA_DIR.`,
    ]);
    expect((await get(url)).pid).toBe(first.process('gateway').pid);
  });

  it('says in one sentence that its port is in use', async () => {
    const other = await occupiedPort();
    try {
      const stack = start({ SVC_HTTP_PORT: String(other.port) });
      expect(await stack.exited).toBe(1);
      expect(stack.err).toEqual([
        `Port ${other.port} of 127.0.0.1 is in use by another program; stop that program, or choose another port with SVC_HTTP_PORT.`,
      ]);
      expect(stack.out).toEqual([]);
    } finally {
      await other.free();
    }
  });

  it('says in one sentence why a service refused to start', async () => {
    const stack = start({ STAND_IN: 'refuse' });
    expect(await stack.exited).toBe(1);
    expect(stack.err).toHaveLength(1);
    expect(stack.err[0]).toMatch(/^\w+ did not start: idle cannot start: the instrument cupboard is locked$/);
    expect(stack.out).toEqual([]);
  });

  it('names every fault of the configuration and starts nothing', async () => {
    const stack = start({ SVC_HTTP_PORT: 'eighty', SVC_LOG_LEVEL: 'loud' });
    expect(await stack.exited).toBe(1);
    expect(stack.err.join('\n')).toMatch(/SVC_HTTP_PORT: [^]*SVC_LOG_LEVEL: /);
    expect(existsSync(join(stack.dataDir, 'run', 'processes.json'))).toBe(false);
  });

  it('says that nats-server is missing', async () => {
    const stack = start({ SVC_NATS_SERVER_BIN: '/nowhere/nats-server' });
    expect(await stack.exited).toBe(1);
    expect(stack.err).toEqual(['SVC_NATS_SERVER_BIN names /nowhere/nats-server, which is not a program.']);
  });
});

describe('a signal', () => {
  it('cancels a start, and nothing stays', async () => {
    const stack = start({ STAND_IN: 'hang' });
    await eventually(
      () => remember(stack).map(({ name }) => name),
      (names) => names.includes('optimizer') && names.includes('postgres'),
    );
    stack.signal('SIGINT');
    expect(await stack.exited).toBe(0);
    expect(await survivors(seen, 0)).toEqual([]);
  });

  it('ends slow services at once when it is sent a second time', async () => {
    const stack = start({ STAND_IN: 'linger' });
    await stack.ready();
    remember(stack);
    stack.signal('SIGINT');
    await stack.line(/^stopping/);
    const hurried = Date.now();
    let code: number | null | undefined;
    void stack.exited.then((value) => {
      code = value;
    });
    await eventually(
      () => {
        stack.signal('SIGINT');
        return code;
      },
      (value) => value !== undefined,
    );
    expect(code).toBe(0);
    expect(Date.now() - hurried).toBeLessThan(8_000);
    expect(await survivors(seen, 0)).toEqual([]);
  });

  it('stops the stack when it ends the shell in which npm runs it', async () => {
    const stack = start({ npm_lifecycle_event: 'start' }, undefined, { inShell: true });
    await stack.ready();
    remember(stack);
    stack.signal('SIGTERM');
    // The output ends with the last process that writes to it.
    await stack.exited;
    expect(stack.err.join('\n')).toContain('stopping');
    expect(await survivors(seen, 0)).toEqual([]);
  });

  it('lets services end by themselves when it arrives twice at once, as npm forwards it', async () => {
    const stack = start();
    await stack.ready();
    remember(stack);
    stack.signal('SIGINT');
    stack.signal('SIGTERM');
    expect(await stack.exited).toBe(0);
    for (const service of ['gateway', 'agent', 'optimizer', 'orchestrator']) {
      expect(readFileSync(join(stack.dataDir, 'logs', `${service}.log`), 'utf8'), service).toContain(
        '"stopped"',
      );
    }
  });
});
