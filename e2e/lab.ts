import type { ChildProcess } from 'node:child_process';
import { startServiceStack, type Stack, type StackOptions } from '@lab/testkit';
import { Api, eventually } from './api.js';

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

/** The whole service with the labs named, its devices ready. */
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
