import { isReachable } from '@lab/contracts';
import type { KnownDevice, LabMap } from '../labs/index.js';
import type { Definitions } from '../rows/index.js';
import { type NewEvent, type Turn, newEvent } from '../turn/index.js';
import type { AgentDirectory, Presence } from './agent-directory.js';
import { deviceStatusOf } from './device-status.js';

/** Shortest time between two commits of such events alone, in milliseconds. Any call may change a device. */
const paceMs = 100;

export interface StatusEventPorts {
  directory: AgentDirectory;
  definitions: Definitions;
  labs: () => LabMap;
}

/**
 * Publishes changes that no row shows: the state of agents and devices, and the loaded definitions. It publishes the
 * differences to the state that it published last. So a state that lasts for less than a commit is left out, and a new
 * leader publishes the whole state. Later it compares only agents and devices of which there is news: any call of a device is
 * news, and to compare hundreds of devices with each call would cost more than the rest of its task.
 */
export class StatusEvents {
  /** Aggregate to its latest event. */
  readonly #published = new Map<string, string>();
  #seenNews = -1;
  #seenLabs: LabMap | undefined;
  #lastAt = -Infinity;

  constructor(private readonly ports: StatusEventPorts) {}

  /** A leadership begins. The first events follow a moment later, so that they cannot delay it. */
  begin(now: number): void {
    this.#lastAt = now;
  }

  /** Publishes changes at the end of a turn, together with its other changes, or alone once enough time has passed. */
  settle(turn: Turn): void {
    if (!this.#isNew()) return;
    if (turn.changes.length === 0 && turn.now < this.#lastAt + paceMs) return;
    const { directory } = this.ports;
    const [news, labs] = [directory.news, this.ports.labs()];
    const isAll = this.#seenLabs !== labs;
    const current = isAll ? [...this.#all(labs)] : [...this.#heardSince(this.#seenNews, labs)];
    const changed = new Map<string, string>();
    for (const each of current) {
      const text = textOf(each);
      if (this.#published.get(each.aggregate) === text) continue;
      changed.set(each.aggregate, text);
      turn.publish(each);
    }
    const unloaded = isAll ? this.#publishedBut(current) : [];
    for (const aggregate of unloaded) turn.publish(gone(aggregate));
    turn.afterCommit(() => {
      for (const [aggregate, text] of changed) this.#published.set(aggregate, text);
      for (const aggregate of unloaded) this.#published.delete(aggregate);
      this.#seenNews = news;
      this.#seenLabs = labs;
      this.#lastAt = turn.now;
    });
  }

  /** When waiting changes are to be published, in milliseconds since 1970; undefined: there are none. */
  next(): number | undefined {
    return this.#isNew() ? this.#lastAt + paceMs : undefined;
  }

  #isNew(): boolean {
    return this.#seenNews !== this.ports.directory.news || this.#seenLabs !== this.ports.labs();
  }

  /** The state of everything. */
  *#all(labs: LabMap): Iterable<NewEvent> {
    yield* this.#ofLabs(labs);
    yield* this.#ofProtocols();
    for (const agent of this.ports.directory.all()) yield ofAgent(agent);
    for (const device of labs.devices.values()) yield this.#ofDevice(device);
  }

  /**
   * The state of the agents of which there is news and of their devices, and of all laboratories: one that starts takes work
   * without being loaded again.
   *
   * @param news as {@link AgentDirectory.news}
   */
  *#heardSince(news: number, labs: LabMap): Iterable<NewEvent> {
    yield* this.#ofLabs(labs);
    for (const agent of this.ports.directory.all()) {
      if (agent.news <= news) continue;
      yield ofAgent(agent);
      for (const device of labs.devicesOf(agent.computer)) yield this.#ofDevice(device);
    }
  }

  #ofDevice(device: KnownDevice): NewEvent {
    const { key, lab, name, type, computer } = device;
    const { state, detail, status } = deviceStatusOf(device, this.ports.directory);
    const body = { lab, name, device_type: type, computer, state, detail, halted: status?.halted ?? null };
    return newEvent('device', key, state, { ...body, labs: [lab] });
  }

  /** What was published and is not loaded or known any more. */
  #publishedBut(current: readonly NewEvent[]): string[] {
    const known = new Set(current.map(({ aggregate }) => aggregate));
    return [...this.#published.keys()].filter((aggregate) => !known.has(aggregate));
  }

  *#ofLabs(labs: LabMap): Iterable<NewEvent> {
    for (const name of labs.labs.keys()) {
      const body = { name, takes_work: this.ports.definitions.takesWork(name), labs: [name] };
      yield newEvent('lab', name, 'loaded', body);
    }
  }

  *#ofProtocols(): Iterable<NewEvent> {
    const { definitions } = this.ports;
    for (const name of definitions.protocolTypes()) {
      const snapshot = definitions.protocol(name);
      if (snapshot === undefined) continue;
      const body = { name, hash: snapshot.hash, labs: [...snapshot.protocol.labs] };
      yield newEvent('protocol', name, 'loaded', body);
    }
  }
}

function ofAgent({ computer, inc, state }: Presence): NewEvent {
  return newEvent('agent', computer, state, { computer, inc, state, reachable: isReachable(state) });
}

function textOf({ type, body }: NewEvent): string {
  return `${type} ${JSON.stringify(body)}`;
}

/** The event of a record that is not loaded any more. */
function gone(aggregate: string): NewEvent {
  const [kind = '', ...rest] = aggregate.split('/');
  const name = rest.join('/');
  const lab = kind === 'device' ? name.slice(0, name.indexOf('.')) : name;
  return {
    aggregate,
    type: `${kind}.unloaded`,
    body: { name, labs: kind === 'device' || kind === 'lab' ? [lab] : [] },
  };
}
