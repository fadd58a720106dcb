import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface S3Server {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  close(): Promise<void>;
}

const unpacked = fileURLToPath(new URL('../../../.cache/swift', import.meta.url));
const program = fileURLToPath(new URL('s3-server.py', import.meta.url));

/**
 * A real server that speaks S3: the one at `SVC_TEST_S3_URL` (`http://key:secret@host:port`), or OpenStack Swift, started on
 * a free port of loopback.
 */
export async function startS3Server(): Promise<S3Server> {
  const given = process.env.SVC_TEST_S3_URL;
  if (given !== undefined) {
    const { origin, username, password } = new URL(given);
    const [accessKeyId, secretAccessKey] = [decodeURIComponent(username), decodeURIComponent(password)];
    return { endpoint: origin, accessKeyId, secretAccessKey, close: async () => undefined };
  }
  if (!existsSync(unpacked)) {
    throw new Error(
      'There is no S3 server to test against: run `node tools/s3-server.mjs`, or set SVC_TEST_S3_URL.',
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-swift-'));
  const user = { accessKeyId: 'test:tester', secretAccessKey: 'a secret of the tests'.replaceAll(' ', '-') };
  const libraries = join(unpacked, 'usr/lib');
  const native = (await readdir(libraries))
    .filter((name) => name.includes('-linux-'))
    .map((name) => join(libraries, name));
  // A machine without Python has it among the unpacked files.
  const python =
    [join(unpacked, 'usr/bin/python3'), '/usr/bin/python3'].find((path) => existsSync(path)) ?? 'python3';
  const server = spawn(python, [program, folder, user.accessKeyId, user.secretAccessKey], {
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: join(libraries, 'python3/dist-packages'),
      LD_LIBRARY_PATH: native.join(':'),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const gone = once(server, 'exit');
  const close = async (): Promise<void> => {
    server.stdin.end();
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  const ready = once(createInterface(server.stdout), 'line') as Promise<[string]>;
  const port = await Promise.race([ready.then(([line]) => line), gone.then(() => undefined)]);
  if (port === undefined) {
    await close();
    throw new Error(`Swift did not start: ${errors}`);
  }
  return { endpoint: `http://127.0.0.1:${port}`, ...user, close };
}
