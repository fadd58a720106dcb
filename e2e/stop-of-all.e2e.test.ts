import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './api.js';
import { startLab, type Lab } from './lab.js';

/** What happens to instruments when every process gets SIGTERM at once, as systemd does it by default. */

/** Time in which a supervisor that restarts the agent has started its devices, in milliseconds. */
const restartWithinMs = 4_000;
const arms = ['arm_1', 'arm_2', 'arm_3'];
let folder = '';
let lab: Lab;

const device = `
import { appendFileSync } from 'node:fs';
import { BaseDevice, effect } from '@lab/sdk';

interface Parameters { journal: string }

export default class Arm extends BaseDevice {
  private journal = '';

  _initialize({ journal }: Parameters): void {
    this.journal = journal;
    appendFileSync(journal, 'home\\n');
  }

  async _cleanup(): Promise<void> {
    appendFileSync(this.journal, 'park\\n');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    appendFileSync(this.journal, 'parked\\n');
  }

  _report(): object {
    return {};
  }

  @effect({ description: 'Moves', parameters: {} })
  move(): void {
    appendFileSync(this.journal, 'move\\n');
  }
}
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-stop-of-all-'));
  const root = join(folder, 'homing_lab');
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write('package.json', '{"name": "homing_lab", "type": "module"}');
  await write('devices/arm/device.ts', device);
  await write(
    'devices/arm/device.yml',
    'type: homing_arm\ndesc: An arm that homes when it starts\ninit_parameters:\n  journal: arm\n',
  );
  const entry = (name: string): string =>
    `  ${name}:\n    desc: An arm\n    type: homing_arm\n    computer: svc_computer\n` +
    `    init_parameters:\n      journal: ${join(folder, name)}\n`;
  await write(
    'laboratories/homing_lab/lab.yml',
    `name: homing_lab\ndesc: Three arms\ndevices:\n${arms.map(entry).join('')}`,
  );
  lab = await startLab(['homing_lab'], { userDir: folder });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** The process and all that it started, directly or not, from the parents that /proc names. */
async function treeOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    // The name of the program stands in parentheses and may contain anything.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (parent !== undefined) parents.set(Number(entry), Number(parent));
  }
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
}

/** Sends a signal. @returns false when the process no longer runs: some of the tree live shortly */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function isGateway(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('/gateway/');
}

describe('SIGTERM to every process at once', () => {
  it('parks each device once and starts none again, also while the gateway is slow to stop', async () => {
    const { pid } = lab.stack;
    const tree = await treeOf(pid);
    // Supervisor, broker, database, gateway, orchestrator, optimizer, agent and a process for each device.
    expect(tree.length).toBeGreaterThanOrEqual(7 + arms.length);
    const gateway = (
      await Promise.all(tree.map(async (pid) => ((await isGateway(pid)) ? [pid] : [])))
    ).flat();
    expect(gateway).toHaveLength(1);
    for (const each of gateway) signal(each, 'SIGSTOP');
    for (const each of tree) signal(each, 'SIGTERM');
    // The agent ends long before its turn in the orderly stop, which begins with the gateway.
    await eventually(
      () => Promise.all(arms.map((arm) => readFile(join(folder, arm), 'utf8'))),
      (journals) => journals.every((journal) => journal.includes('parked')),
      60_000,
    );
    await delay(restartWithinMs);
    for (const each of gateway) signal(each, 'SIGCONT');
    await eventually(
      () => Promise.resolve(tree.filter((pid) => signal(pid, 0))),
      (alive) => alive.length === 0,
      60_000,
    );
    for (const arm of arms)
      expect((await readFile(join(folder, arm), 'utf8')).trim().split('\n'), arm).toEqual([
        'home',
        'park',
        'parked',
      ]);
  });
});
