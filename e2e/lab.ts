import type { ChildProcess } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startServiceStack, type Stack, type StackOptions } from '@lab/testkit';
import { Api, eventually } from './api.js';

const multiplicationLab = join(import.meta.dirname, '..', 'lab-packages', 'multiplication_lab');
/** A package with the device `brittle` and the task `misbehave`, which fail on request in every way. */
export const faultyLab = join(import.meta.dirname, 'fixtures', 'faulty_lab');

export interface Lab {
  stack: Stack;
  api: Api;
  /** Starts the agent of another computer and waits until its devices can be used. */
  withAgent(computer: string): Promise<ChildProcess>;
}

export interface LabOptions extends StackOptions {
  /** Wait until the devices can be used. Default true. */
  idle?: boolean;
}

/** The whole service with the named labs and ready devices. */
export async function startLab(labs: string[], options: LabOptions = {}): Promise<Lab> {
  const stack = await startServiceStack({ ...options, env: { SVC_LABS: labs.join(','), ...options.env } });
  const api = new Api(stack.url);
  const devicesIdle = (computer: string): Promise<unknown> =>
    eventually(
      () => api.devices(),
      (devices) =>
        devices.filter((each) => each.computer === computer).every((each) => each.state === 'idle'),
    );
  try {
    if (options.idle !== false) await devicesIdle('svc_computer');
  } catch (error) {
    await stack.dispose();
    throw error;
  }
  return {
    stack,
    api,
    async withAgent(computer) {
      const agent = stack.beside('agent', '--computer', computer);
      await devicesIdle(computer);
      return agent;
    },
  };
}

/** Copies packages into a user directory; default: `multiplication_lab`. */
export async function copyPackages(userDir: string, packages = [multiplicationLab]): Promise<void> {
  for (const source of packages) {
    await cp(source, join(userDir, basename(source)), {
      recursive: true,
      filter: (path) => !/[\\/](node_modules|dist)$/.test(path),
    });
  }
}

/**
 * The whole service with `multiplication_lab` and `faulty_lab`.
 *
 * @param prepare called with the folder of the packages before the service starts
 */
export async function startFaultyLab(
  options: LabOptions = {},
  prepare: (userDir: string) => void = () => undefined,
): Promise<Lab> {
  const userDir = await mkdtemp(join(options.dataDir ?? tmpdir(), 'packages-'));
  await copyPackages(userDir, [multiplicationLab, faultyLab]);
  prepare(userDir);
  const lab = await startLab(['multiplication_lab', 'faulty_lab'], { ...options, userDir });
  const dispose = async (): Promise<void> => {
    await lab.stack.dispose();
    await rm(userDir, { recursive: true, force: true });
  };
  return { ...lab, stack: { ...lab.stack, dispose } };
}
