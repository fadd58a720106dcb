import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePointer, type Pointer } from '../../src/keeping/index.js';

/**
 * - `good`: says that it serves, and ends in order.
 * - `crash`: ends at once with 3.
 * - `mute`: never serves, and ends in order.
 * - `stubborn`: never serves, and does not end in order.
 * - `stops`: serves, and stops as if somebody had asked it, when the file `stop` is there; ends with 7 when `fall` is there.
 */
export type Behaviour = 'good' | 'crash' | 'mute' | 'stubborn' | 'stops';

/** A data folder with small programs in place of the agent, which write what happens to them into one file. */
export class Versions {
  readonly folder = mkdtempSync(join(tmpdir(), 'lab-keeping-'));
  readonly data = join(this.folder, 'data');

  constructor() {
    mkdirSync(join(this.data, 'versions'), { recursive: true });
  }

  /** Writes a program into `<data>/versions/<version>`. */
  put(version: string, behaviour: Behaviour): void {
    this.write(this.place(version), version, behaviour);
  }

  place(version: string): string {
    return join(this.data, 'versions', version);
  }

  /** Writes the installed program. @returns its launcher */
  installed(behaviour: Behaviour): string {
    const folder = join(this.folder, 'installed');
    this.write(folder, 'installed', behaviour);
    return join(folder, 'svc-agent');
  }

  point(pointer: Partial<Pointer>): void {
    const whole = { version: null, trial: false, starts: 0, previous: null, ...pointer };
    writePointer(this.data, whole, 'update');
  }

  /** Makes programs that behave as `stops` do so. */
  signal(name: 'stop' | 'fall'): void {
    writeFileSync(join(this.folder, name), '');
  }

  note(event: string): void {
    appendFileSync(join(this.folder, 'events'), `${event}\n`);
  }

  /** `<version> started`, `<version> closed`, `<version> SIGTERM`, in order. */
  get events(): string[] {
    const path = join(this.folder, 'events');
    // A program makes the file a moment before it writes the first line.
    return existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : [];
  }

  get args(): string {
    return readFileSync(join(this.folder, 'args'), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Text of a launcher. */
  text(name: string, behaviour: Behaviour): string {
    return `#!${process.execPath}\n${text(this.folder, name, behaviour)}`;
  }

  private write(folder: string, name: string, behaviour: Behaviour): void {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'svc-agent');
    writeFileSync(path, this.text(name, behaviour));
    chmodSync(path, 0o755);
  }
}

const text = (folder: string, name: string, behaviour: Behaviour): string => `
const { appendFileSync, existsSync, rmSync, writeFileSync } = require('node:fs');
const { Socket } = require('node:net');
const folder = ${JSON.stringify(folder)}, name = ${JSON.stringify(name)}, behaviour = ${JSON.stringify(behaviour)};
const note = (event) => appendFileSync(folder + '/events', name + ' ' + event + '\\n');
writeFileSync(folder + '/args', process.argv.slice(2).join(' '));
const isStubborn = behaviour === 'stubborn';
const output = new Socket({ fd: 4, readable: false, writable: true });
const input = new Socket({ fd: 3, readable: true, writable: false });
input.resume().on('close', () => {
  note('closed');
  if (!isStubborn) process.exit(0);
});
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    note(signal);
    output.write('stopping\\n');
    process.exit(0);
  });
// As the agent, it holds a lock of the data folder and looks for the request to stop.
const data = folder + '/data';
writeFileSync(data + '/svc-agent.lock', JSON.stringify({ pid: process.pid, started: null }));
setInterval(() => {
  if (!existsSync(data + '/stop-requested')) return;
  rmSync(data + '/stop-requested');
  output.write('stopping\\n');
  process.exit(0);
}, 20);
note('started');
if (behaviour === 'crash') process.exit(3);
if (behaviour === 'good' || behaviour === 'stops') output.write('half\\nserv'), setTimeout(() => output.write('ing\\n'), 20);
setInterval(() => {
  if (behaviour !== 'stops') return;
  for (const [file, code] of [['stop', 0], ['fall', 7]]) {
    if (!existsSync(folder + '/' + file)) continue;
    rmSync(folder + '/' + file);
    if (code === 0) output.write('stopping\\n');
    process.exit(code);
  }
}, 20);
`;
