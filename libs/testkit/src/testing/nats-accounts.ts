import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats } from '../servers/index.js';
import { sharedServer } from './shared-server.js';

/** A broker for one test: no other test sees its messages. */
export interface TestNats {
  /** `nats://` address, with credentials when the server is shared. */
  url: string;
  /** Stops the server, unless other tests use it. May be called again. */
  stop(): Promise<void>;
}

/**
 * A real broker whose server the test does not stop, pause or restart: an account of its own on the nats-server of the
 * test run, else a server of its own.
 *
 * @throws Error when nats-server does not start, see `startNats`
 */
export async function testNats(): Promise<TestNats> {
  const url = await sharedServer('nats');
  return url === undefined ? startNats() : { url, stop: () => Promise.resolve() };
}

export interface Accounts {
  /** Address of an account that was not given before. @throws Error when there is none left */
  next(): string;
  stop(): Promise<void>;
}

const accountCount = 1_000;

/** Starts a nats-server with accounts, between which no message passes. */
export async function startAccounts(): Promise<Accounts> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-nats-'));
  const config = join(folder, 'accounts.conf');
  const names = Array.from({ length: accountCount }, (_, index) => `test${index}`);
  const accounts = names.map((name) => `${name}: { users: [{ user: ${name}, password: test }] }`);
  await writeFile(config, `accounts: {\n${accounts.join('\n')}\n}\n`);
  const nats = await startNats({ args: ['-c', config] });
  return {
    next() {
      const name = names.shift();
      if (name === undefined) throw new Error(`the tests of one run took all ${accountCount} accounts`);
      return nats.url.replace('//', `//${name}:test@`);
    },
    async stop() {
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
