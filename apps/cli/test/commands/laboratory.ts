import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DeviceDetail } from '@lab/api-client';
import { startServiceStack, type Stack } from '@lab/testkit';
import { expect, vi } from 'vitest';
import { svcHere, trimmed, type Ran, type Typed } from '../in-process.js';

const packages = ['lab-packages/multiplication_lab', 'e2e/fixtures/faulty_lab'].map((path) =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url)),
);

/** A running service with a laboratory that multiplies and a device that fails on request. */
export interface Laboratory {
  stack: Stack;
  /** Folder for files of the test, in which commands are typed. */
  folder: string;
  /** Folder of the packages. */
  userDir: string;
  /** Types a command, with the white space at the ends of its output removed. */
  svc(...args: string[]): Promise<Ran>;
  typed(args: string[], typed: Typed): Promise<Ran>;
  /** What a command prints with `--json`. */
  json<T>(...args: string[]): Promise<T>;
  /** Writes a file into the folder. */
  put(name: string, text: string): void;
  close(): Promise<void>;
}

/**
 * Starts the real service and waits until the devices of its computer are idle.
 *
 * @param config text of `config.yml`
 */
export async function startLaboratory(config = ''): Promise<Laboratory> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-laboratory-'));
  const userDir = join(folder, 'packages');
  for (const source of packages)
    cpSync(source, join(userDir, basename(source)), {
      recursive: true,
      filter: (path) => !/[\\/](node_modules|dist)$/.test(path),
    });
  mkdirSync(userDir, { recursive: true });
  const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  put('config.yml', config);
  const env = { SVC_LABS: 'multiplication_lab,faulty_lab', SVC_CONFIG: join(folder, 'config.yml') };
  const stack = await startServiceStack({ userDir, env });
  const typed = async (args: string[], { env: more = {}, ...rest }: Typed): Promise<Ran> => {
    const own = { SVC_URL: stack.url, SVC_DATA_DIR: stack.dataDir, SVC_USER_DIR: userDir };
    return trimmed(await svcHere(args, { folder, env: { ...own, ...more }, ...rest }));
  };
  const svc = (...args: string[]): Promise<Ran> => typed(args, {});
  const json = async <T>(...args: string[]): Promise<T> =>
    JSON.parse((await svc(...args, '--json')).out) as T;
  const close = async (): Promise<void> => {
    await stack.dispose();
    rmSync(folder, { recursive: true, force: true });
  };
  const statesHere = async (): Promise<string[]> =>
    (await json<DeviceDetail[]>('list', 'devices'))
      .filter(({ computer }) => computer === 'svc_computer')
      .map(({ state }) => state);
  try {
    await vi.waitFor(async () => expect(await statesHere()).toEqual(['idle', 'idle']), {
      ...{ timeout: 30_000, interval: 100 },
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { stack, folder, userDir, svc, typed, json, put, close };
}

/** The cells of a table, without its header. */
export const rowsOf = ({ out }: Ran): string[][] =>
  out
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/));
