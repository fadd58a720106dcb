import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processEnvironment } from '@lab/runtime';
import { startProgram, stopProgram } from './program.js';

/** Debian's package of `ip` with its libraries, as `tools/iproute.mjs` unpacks it. */
const unpacked = fileURLToPath(new URL('../../../../.cache/iproute2', import.meta.url));
const bridge = 'switch';
const execute = promisify(execFile);

/** The network of the computers of one test. Each test has its own, so the addresses never meet. */
const addressOf = (number: number): string => `10.77.0.${number}`;

/** Prints its process id from inside of the namespaces, and lives until this process closes the pipe or ends. */
const stay = ['sh', '-c', 'echo here; exec cat'];

/**
 * A computer in a test: namespaces of Linux with a network and with mounts of their own. The first computer has a switch;
 * each other one is joined to it by a cable that can be pulled. All see the files of this machine, and its processes
 * see theirs. No privilege is needed. Nothing leaves the network of the test, and nothing outside reaches it but by
 * {@link forward}.
 */
export class Computer {
  readonly #others: Computer[] = [];
  readonly #relays: ChildProcess[] = [];

  private constructor(
    private readonly holder: ChildProcess,
    readonly address: string,
    /** The end of its cable at the switch. */
    private readonly cable?: { port: string; at: Computer },
  ) {}

  /** @throws Error that says what to install or allow */
  static async open(): Promise<Computer> {
    const holder = await hold('unshare', ['--user', '--map-root-user', '--net', '--mount', ...stay]);
    const first = new Computer(holder, addressOf(1));
    try {
      await first.#ip('link', 'set', 'lo', 'up');
      await first.#ip('link', 'add', bridge, 'type', 'bridge');
      await first.#ip('addr', 'add', `${first.address}/24`, 'dev', bridge);
      await first.#ip('link', 'set', bridge, 'up');
    } catch (error) {
      await first.close();
      throw error;
    }
    return first;
  }

  /** Adds a computer with a cable to the switch of this one. It ends with this one. */
  async join(): Promise<Computer> {
    const number = this.#others.length + 2;
    const port = `cable${number}`;
    const [program = '', ...args] = this.enter('unshare', '--net', '--mount', ...stay);
    const other = new Computer(await hold(program, args), addressOf(number), { port, at: this });
    this.#others.push(other);
    const peer = ['peer', 'name', 'eth0', 'netns', String(other.holder.pid)];
    await this.#ip('link', 'add', port, 'type', 'veth', ...peer);
    await this.#ip('link', 'set', port, 'master', bridge, 'up');
    await other.#ip('link', 'set', 'lo', 'up');
    await other.#ip('addr', 'add', `${other.address}/24`, 'dev', 'eth0');
    await other.#ip('link', 'set', 'eth0', 'up');
    return other;
  }

  /** Pulls the cable: packets vanish in both directions, no connection is reset, and both ends lose the carrier. */
  unplug(): Promise<void> {
    return this.#setCable('down');
  }

  plug(): Promise<void> {
    return this.#setCable('up');
  }

  /** The command line that runs a program on this computer. Its process id is that of the program. */
  enter(...program: string[]): string[] {
    const namespaces = ['--user', '--net', '--mount', '--preserve-credentials'];
    return ['nsenter', '--target', String(this.holder.pid), ...namespaces, '--', ...program];
  }

  spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const [command = '', ...rest] = this.enter(program, ...args);
    return spawn(command, rest, options);
  }

  /** Runs a program to its end. @returns what it printed @throws Error with its output, when it fails */
  async run(program: string, ...args: string[]): Promise<string> {
    const [command = '', ...rest] = this.enter(program, ...args);
    return (await execute(command, rest)).stdout;
  }

  /** Puts an empty disk of its own under a folder, which only this computer sees. */
  async mountDisk(folder: string, mebibytes: number): Promise<Disk> {
    await this.run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'svc-test', folder);
    return new Disk(this, folder);
  }

  /** Opens a port of 127.0.0.1 outside that leads to a port of 127.0.0.1 on this computer. @returns the port outside */
  async forward(port: number): Promise<number> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const outside = (server.address() as { port: number }).port;
    // The socket stays in the network in which it was opened; whoever accepts connects in its own.
    const relay = this.spawn(process.execPath, ['-e', relaySource, String(port)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#relays.push(relay);
    await new Promise<void>((resolve, reject) =>
      relay.send('serve', server, (error) => (error === null ? resolve() : reject(error))),
    );
    server.close();
    return outside;
  }

  /**
   * Writes every packet that goes through the switch of this computer into a file, one after the other.
   *
   * @returns a function that ends it
   * @throws Error when there is no perl, which every Debian has
   */
  async capture(path: string): Promise<() => Promise<void>> {
    const [command = '', ...args] = this.enter('perl', '-e', captureSource, bridge, path);
    const child = await startProgram({
      ...{ name: 'the capture of packets, by perl,', command, args, readyMs: 10_000, endSignal: 'SIGKILL' },
      onLine: (line) => line === 'captures',
    });
    return () => stopProgram(child, 'SIGKILL');
  }

  /** Kills every process of this computer at once, as a power cut does. */
  async crash(): Promise<void> {
    for (const pid of this.processes().keys()) kill(pid);
    while (this.processes().size > 0) await delay(20);
  }

  /** The processes of this computer, without the one that keeps it: process id and command line. */
  processes(): Map<number, string> {
    const network = networkOf(this.holder.pid);
    const own = new Set([this.holder.pid, ...this.#relays.map(({ pid }) => pid)]);
    const found = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && !own.has(pid) && network !== undefined && networkOf(pid) === network);
    return new Map(found.map((pid) => [pid, commandOf(pid)]));
  }

  /**
   * Ends this computer and those that joined it. Network, mounts and disks vanish with the last process.
   *
   * @throws Error when programs still ran there; they are killed
   */
  async close(): Promise<void> {
    const others = await Promise.allSettled(this.#others.splice(0).map((other) => other.close()));
    await Promise.all(this.#relays.splice(0).map((relay) => stopProgram(relay, 'SIGKILL')));
    const left = this.processes();
    for (const pid of left.keys()) kill(pid);
    while (this.processes().size > 0) await delay(20);
    await stopProgram(this.holder, 'SIGKILL');
    for (const each of others) if (each.status === 'rejected') throw each.reason;
    if (left.size > 0) throw new Error(`still ran at the end: ${[...left.values()].join('; ')}`);
  }

  async #setCable(state: 'up' | 'down'): Promise<void> {
    if (this.cable === undefined) throw new Error('the first computer has no cable');
    await this.cable.at.#ip('link', 'set', this.cable.port, state);
  }

  async #ip(...args: string[]): Promise<void> {
    const { program, libraries } = ipProgram();
    try {
      if (libraries === undefined) await this.run(program, ...args);
      else await this.run('env', `LD_LIBRARY_PATH=${libraries}`, program, ...args);
    } catch (error) {
      throw refused(`ip ${args.join(' ')}`, error);
    }
  }
}

/** A small disk of a computer. */
export class Disk {
  readonly #filler: string;

  constructor(
    private readonly computer: Computer,
    readonly folder: string,
  ) {
    this.#filler = join(folder, 'filler');
  }

  /** Writes until nothing more fits. */
  async fill(): Promise<void> {
    // The last writes are of single bytes, so that not even a short record finds room.
    await this.computer.run(
      'sh',
      '-c',
      'for size in 1M 4k 1; do dd if=/dev/zero bs=$size oflag=append conv=notrunc of="$0" 2>/dev/null; done; true',
      this.#filler,
    );
  }

  /** Makes room again. */
  async empty(): Promise<void> {
    await this.computer.run('rm', '-f', this.#filler);
  }
}

const relaySource = `
const { connect } = require('node:net');
process.on('message', (_, server) =>
  server.on('connection', (outside) => {
    const inside = connect(Number(process.argv[1]), '127.0.0.1');
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
    outside.pipe(inside).pipe(outside);
  }),
);
process.on('disconnect', () => process.exit());
`;

/**
 * A packet socket (packet(7)) of one device: AF_PACKET is 17, SOCK_RAW is 3, and ETH_P_ALL is 3 in the order of bytes of the
 * network. SIOCGIFINDEX, 0x8933, gives the number of the device.
 */
const captureSource = `
my ($device, $path) = @ARGV;
my $all = unpack('S', pack('n', 3));
socket(my $packets, 17, 3, $all) or die "no packet socket: $!\\n";
my $request = pack('a16 x24', $device);
ioctl($packets, 0x8933, $request) or die "$device: $!\\n";
bind($packets, pack('S S i S C C x8', 17, $all, unpack('x16 i', $request), 0, 0, 0)) or die "$device: $!\\n";
open(my $file, '>:raw', $path) or die "$path: $!\\n";
$| = 1;
print "captures\\n";
while (defined recv($packets, my $packet, 65536, 0)) { syswrite($file, $packet) }
`;

/** Starts the process that keeps the namespaces, and waits until it is in them. */
async function hold(program: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const end = (): void => void child.kill('SIGKILL');
  process.on('exit', end);
  child.once('exit', () => process.off('exit', end));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('error', (error) => reject(refused(program, error)));
    child.once('close', () => reject(refused(program, said.trim())));
  });
  return child;
}

function refused(what: string, why: unknown): Error {
  const reason = why instanceof Error ? why.message.trim() : String(why);
  return new Error(
    `tests of separate computers need network namespaces, which this system refuses (${what}: ${reason}); install util-linux, and allow user namespaces: sudo sysctl -w user.max_user_namespaces=10000 kernel.apparmor_restrict_unprivileged_userns=0`,
    { cause: why },
  );
}

/** @throws Error that says what to install */
function ipProgram(): { program: string; libraries?: string } {
  const folders = [...(processEnvironment().PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  const found = folders.map((folder) => join(folder, 'ip')).find((path) => existsSync(path));
  if (found !== undefined) return { program: found };
  const program = ['usr/bin', 'usr/sbin', 'bin', 'sbin']
    .map((folder) => join(unpacked, folder, 'ip'))
    .find((path) => existsSync(path));
  if (program === undefined)
    throw new Error(
      'tests of separate computers need the program ip, which is not here; install it: sudo apt-get install iproute2',
    );
  const folder = join(unpacked, 'usr', 'lib');
  const libraries = [folder, ...readdirSync(folder).map((name) => join(folder, name))].join(':');
  return { program, libraries };
}

function networkOf(pid: number | undefined): string | undefined {
  return read(() => readlinkSync(`/proc/${pid}/ns/net`));
}

function commandOf(pid: number): string {
  return (
    read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      ?.replaceAll('\0', ' ')
      .trim() ?? ''
  );
}

/** Reads what belongs to a process; undefined when it has ended or is not ours. */
function read(look: () => string): string | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
