import { readFileSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

/** What the benchmarks share: a keep-alive HTTP client, statistics, and the processes of a stack. */

export const benchPackages = fileURLToPath(new URL('packages', import.meta.url));

/** A client that keeps at most `connections` sockets open, all warm after the first requests. */
export function httpClient(baseUrl, connections = 64) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const call = (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers =
        text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const outgoing = request(new URL(path, baseUrl), { method, agent, headers }, (response) => {
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece));
        response.on('end', () => {
          const answer = Buffer.concat(pieces).toString();
          if (response.statusCode >= 300)
            reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
          else resolve(answer === '' ? undefined : JSON.parse(answer));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  return { call, close: () => agent.destroy() };
}

/** The value below which the share `p` (0 to 1) of the numbers lies; the nearest rank, no interpolation. */
export function percentile(numbers, p) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
}

export const rounded = (value, digits = 2) => Number(value.toFixed(digits));

/** Calls `work` `count` times, `inFlight` at once; durations in milliseconds and calls per second. */
export async function load(count, inFlight, work) {
  const durations = [];
  let started = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (started < count) {
        const index = started++;
        const at = performance.now();
        await work(index);
        durations.push(performance.now() - at);
      }
    }),
  );
  return { durations, perSecond: (count / (performance.now() - begin)) * 1000 };
}

/** Waits until `read()` gives something for which `done` holds, asking every `everyMs`. */
export async function until(read, done, limitMs = 60_000, everyMs = 25) {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await read();
    if (done(value)) return value;
    if (performance.now() > end)
      throw new Error(`not so within ${limitMs} ms: ${JSON.stringify(value).slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Waits until every device of the stack can be used. */
export async function devicesIdle(client) {
  await until(
    () => client.call('GET', '/api/devices'),
    ({ items }) => items.length > 0 && items.every((device) => device.state === 'idle'),
  );
}

/** The process and all its descendants, with command line and proportional set size in MB. Linux only. */
export function processTree(rootPid) {
  const parents = new Map();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = unlessGone(() => readFileSync(`/proc/${entry}/stat`, 'utf8'));
    if (stat === undefined) continue;
    parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const tree = [];
  const add = (pid) => {
    const texts = unlessGone(() => [
      readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
      readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'),
    ]);
    if (texts === undefined) return;
    const [command, rollup] = texts;
    const pssMb = Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
    tree.push({ pid, command: command.split('\0').filter(Boolean).join(' '), pssMb });
    for (const [child, parent] of parents) if (parent === pid) add(child);
  };
  add(rootPid);
  return tree;
}

/** What is read of a process; undefined when it has ended meanwhile. */
function unlessGone(read) {
  try {
    return read();
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    return undefined;
  }
}

/** Prints the machine, so that no figure stands without it. */
export function printMachine() {
  const [cpu] = cpus();
  console.log(`machine: ${cpus().length} x ${cpu?.model ?? 'unknown'}, Node ${process.version}`);
}

/** The last line: one JSON object. */
export function finish(figures) {
  console.log(JSON.stringify(figures));
}
