// Measures the kit for instruments: a query through a device with SCPI over TCP beside the round trip of a bare socket, in turn, and
// the processor time of devices that poll, each in a process of its own, beside that of processes which only have a timer and a socket.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ScpiDevice } from '@lab/instruments/scpi';
import { load, percentile, printMachine, printResult, rounded } from '../../shared/measure.js';

const rounds = 9;
const queries = 2_000;
const pollSeconds = 6;
const pollRounds = 3;

const start = (name: string, ...args: (number | string)[]): ChildProcess =>
  fork(fileURLToPath(new URL(`${name}.js`, import.meta.url)), args.map(String));

/** Sends a line and waits for the line that answers it. */
function bareQuery(socket: Socket): () => Promise<number> {
  let rest = '';
  let waiting: ((answer: string) => void) | undefined;
  socket.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) waiting?.(line);
  });
  return async () =>
    Number(
      await new Promise<string>((resolve) => {
        waiting = resolve;
        socket.write('MEAS:VOLT?\n');
      }),
    );
}

/** Readings of devices, and the processor time that they take, of one core. */
interface Polled {
  perSecond: number;
  corePercent: number;
}

/** What devices read that poll, each in a process of its own, and the processor time that they take together. */
async function poll(
  port: number,
  devices: number,
  each: number,
  how: 'bare' | 'kit' = 'kit',
): Promise<Polled> {
  const children = Array.from({ length: devices }, () => start('poller', port, each, pollSeconds, how));
  const measured = await Promise.all(
    children.map(
      async (child) => ((await once(child, 'message')) as [{ perSecond: number; core: number }])[0],
    ),
  );
  const sum = (of: 'perSecond' | 'core'): number => measured.reduce((all, one) => all + one[of], 0);
  return { perSecond: Math.round(sum('perSecond')), corePercent: rounded(sum('core') * 100, 1) };
}

printMachine();
const instrument = start('instrument');
try {
  const [{ port }] = (await once(instrument, 'message')) as [{ port: number }];
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const device = new ScpiDevice();
  await device._initialize({
    transport: { tcp: { host: '127.0.0.1', port } },
    functions: { voltage: { kind: 'query', ask: 'MEAS:VOLT?', answer: 'float' } },
  });
  const voltage = device._svc_functions()['voltage'];
  const ways = { bare: bareQuery(socket), kit: async () => voltage?.call({}) };
  const times = { bare: [] as number[], kit: [] as number[] };
  for (let round = 0; round <= rounds; round += 1)
    for (const name of ['bare', 'kit'] as const) {
      const { durations } = await load(queries, 1, ways[name]);
      // The first round warms everything up.
      if (round > 0) times[name].push(percentile(durations, 0.5));
    }
  socket.destroy();
  await device._cleanup();

  const fast = await poll(port, 1, 1_000);
  // In turn, because load on the machine changes what both cost.
  const spreads: (readonly [ours: Polled, theirs: Polled])[] = [];
  for (let round = 0; round < pollRounds; round += 1)
    spreads.push([await poll(port, 10, 100), await poll(port, 10, 100, 'bare')] as const);
  const median = (of: (both: (typeof spreads)[number]) => number): number => percentile(spreads.map(of), 0.5);
  const perPoll = ({ perSecond, corePercent }: Polled): number => (corePercent * 1e4) / perSecond;
  const [bare, kit] = [percentile(times.bare, 0.5), percentile(times.kit, 0.5)];
  printResult({
    query_bare_ms: rounded(bare, 4),
    query_kit_ms: rounded(kit, 4),
    query_ratio: rounded(kit / bare, 3),
    fast_per_second: fast.perSecond,
    fast_core_percent: fast.corePercent,
    spread_per_second: median(([ours]) => ours.perSecond),
    spread_core_percent: median(([ours]) => ours.corePercent),
    spread_bare_per_second: median(([, theirs]) => theirs.perSecond),
    spread_bare_core_percent: median(([, theirs]) => theirs.corePercent),
    spread_poll_us: rounded(
      median(([ours]) => perPoll(ours)),
      0,
    ),
    spread_bare_poll_us: rounded(
      median(([, theirs]) => perPoll(theirs)),
      0,
    ),
    spread_poll_ratio: rounded(
      median(([ours, theirs]) => perPoll(ours) / perPoll(theirs)),
      2,
    ),
  });
} finally {
  instrument.disconnect();
}
