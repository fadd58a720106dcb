import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Computer } from '@lab/testkit';

/** A node of the database, as Patroni tells it. */
export interface Member {
  name: string;
  /** `leader`, `sync_standby` or `replica`. */
  role: string;
  /** `running`, `streaming`, `stopped` and others. */
  state: string;
}

/** Asks Patroni every half second, over HTTPS, for its view of the cluster. Prints each answer on a line. */
const source = `
const { get } = require('node:https');
const nodes = process.argv.slice(1);
let turn = 0;
const ask = () => {
  const asked = get('https://' + nodes[turn % nodes.length] + ':8008/cluster', { rejectUnauthorized: false, timeout: 1000 }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => {
      console.log(JSON.stringify(JSON.parse(text).members ?? []));
      setTimeout(ask, 500);
    });
  });
  asked.on('timeout', () => asked.destroy(new Error('late')));
  asked.on('error', () => { turn += 1; console.log('[]'); setTimeout(ask, 500); });
};
ask();
`;

/** What Patroni says about the database, at most about a second old. */
export class DatabaseState {
  members: readonly Member[] = [];
  readonly #child: ChildProcess;

  /** @param from the computer that asks; `nodes`: addresses of the nodes */
  constructor(from: Computer, nodes: readonly string[]) {
    this.#child = from.spawn(process.execPath, ['-e', source, ...nodes], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (this.#child.stdout !== null)
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.members = JSON.parse(line) as Member[];
      });
  }

  /** Name of the node that takes changes; undefined: Patroni does not know or does not answer. */
  get primary(): string | undefined {
    return this.members.find(({ role, state }) => role === 'leader' && state === 'running')?.name;
  }

  /** Whether the primary has a synchronous standby, so that a failover loses nothing. */
  get isWhole(): boolean {
    const follows = this.members.some(
      ({ role, state }) => role === 'sync_standby' && ['running', 'streaming'].includes(state),
    );
    return this.primary !== undefined && follows;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
