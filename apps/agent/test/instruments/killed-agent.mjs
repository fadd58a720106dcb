// Takes the files of a folder and stores them in a folder that stands for the service. It is killed before the given one of the calls that
// change a disk, or in the middle of it, and ends by itself when nothing is left to do. It says how many calls it made.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const [, , root, kill, afterwards] = process.argv;
const killAt = Number(kill);
let calls = 0;

/** @param half does a part of the call */
function point(half = () => undefined) {
  calls += 1;
  if (calls !== killAt) return;
  half();
  process.kill(process.pid, 'SIGKILL');
}

const probe = await promises.open(process.execPath, 'r');
const handle = Object.getPrototypeOf(probe);
await probe.close();
for (const name of ['rename', 'rm', 'unlink', 'mkdir']) {
  const original = promises[name];
  promises[name] = (...args) => {
    point();
    return original(...args);
  };
}
for (const name of ['write', 'sync', 'truncate']) {
  const original = handle[name];
  handle[name] = function (...args) {
    const [bytes, at, length, position] = args;
    point(() => name === 'write' && writeSync(this.fd, bytes, at, Math.floor(length / 2), position));
    return original.apply(this, args);
  };
}
syncBuiltinESMExports();

const { FolderFiles } = await import('../../dist/instruments/index.js');

const stored = join(root, 'service');
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const timers = { after: (ms, callback) => clearTimeout.bind(null, setTimeout(callback, ms)) };
const service = {
  async uploadTicket({ id }) {
    point();
    return existsSync(join(stored, `${id}.json`)) ? null : { url: id, headers: {} };
  },
  async send(path, file, { url }) {
    point();
    const bytes = readFileSync(path);
    if (bytes.length !== file.size) throw new Error('another size');
    writeFileSync(join(stored, `${url}.part`), bytes);
    renameSync(join(stored, `${url}.part`), join(stored, `${url}.bytes`));
    point();
  },
  async store(file) {
    point();
    const bytes = readFileSync(join(stored, `${file.id}.bytes`));
    if (createHash('sha256').update(bytes).digest('hex') !== file.sha256) throw new Error('other bytes');
    writeFileSync(join(stored, `${file.id}.part`), JSON.stringify(file));
    renameSync(join(stored, `${file.id}.part`), join(stored, `${file.id}.json`));
    point();
  },
  ofAttempt: async () => [],
};
const agent = new FolderFiles(
  { clock: { now: () => performance.now() }, wall: { now: () => Date.now() }, timers, log, service },
  { folder: join(root, 'agent'), roots: [root], distrusts: false },
);
await agent.start();
const files = {
  ...{ folder: join(root, 'in'), pattern: '*.csv', stable_s: 0.05, poll_s: 0.05, max_size_mb: 1, grace_s: 1 },
  ...{ since: '2000-01-01T00:00:00Z', afterwards, moved_to: 'taken' },
};
agent.assign([{ lab: 'lab', name: 'reader', type: 'reader', module: {}, init_parameters: {}, files }]);
const csvIn = (...path) => readdirSync(join(root, ...path)).filter((name) => name.endsWith('.csv'));
const isDone = () =>
  readdirSync(stored).filter((name) => name.endsWith('.json')).length === 2 &&
  (afterwards === 'keep' || csvIn('in').length === 0);
const end = Date.now() + 30_000;
for (let idle = 0, before = -1; idle < 6 && Date.now() < end;) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  idle = calls === before && isDone() ? idle + 1 : 0;
  before = calls;
}
const all = calls;
await agent.stop();
process.stdout.write(`${all}\n`);
