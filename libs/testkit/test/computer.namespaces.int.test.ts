import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Computer } from '../src/servers/computer.js';

/** The computers that tests of separate computers rely on: their network, cable, disks and end. */

const serve =
  "require('net').createServer((s) => s.end('hello')).listen(4000, '0.0.0.0', () => console.log('up'))";
const ask =
  "require('net').connect({host: process.argv[1], port: 4000}).on('data', (d) => process.stdout.write(d))";

describe.runIf(process.platform === 'linux')('a computer', () => {
  let folder: string;
  let first: Computer;
  let second: Computer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-computer-'));
    first = await Computer.open();
    second = await first.join();
  });
  afterAll(async () => {
    await first?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('reaches another one by a cable, is reached from outside by a forwarded port, and leaves nothing behind', async () => {
    const server = first.spawn(process.execPath, ['-e', serve], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (server.stdout !== null) await once(server.stdout, 'data');
    expect(await second.run(process.execPath, '-e', ask, first.address)).toBe('hello');
    const socket = createConnection({ host: '127.0.0.1', port: await first.forward(4000) });
    expect(String((await once(socket, 'data'))[0])).toBe('hello');
    expect([...first.processes().keys()]).toEqual([server.pid]);
    await second.unplug();
    await expect(second.run('timeout', '2', process.execPath, '-e', ask, first.address)).rejects.toThrow(
      'Command failed',
    );
    await second.plug();
    expect(await second.run(process.execPath, '-e', ask, first.address)).toBe('hello');
    server.kill();
    await once(server, 'exit');
    expect(first.processes().size).toBe(0);
  });

  it('has a disk that nobody else sees, and that is full until it is emptied', async () => {
    const disk = await second.mountDisk(folder, 2);
    await disk.fill();
    const file = join(folder, 'file');
    const write = (): Promise<string> => second.run('sh', '-c', `echo text > ${file}`);
    await expect(write()).rejects.toThrow('Command failed');
    await disk.empty();
    await write();
    expect(existsSync(file)).toBe(false);
    await writeFile(file, 'outside');
    expect(await second.run('cat', file)).toBe('text\n');
  });
});
