import { isReachable } from '@lab/contracts';
import type { LabMap } from '../labs/index.js';
import type { Definitions } from '../rows/index.js';
import { type NewEvent, type Turn, newEvent } from '../turn/index.js';
import type { AgentDirectory } from './agent-directory.js';
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
 * leader publishes the whole state.
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
    const current = new Map(
      [...this.#loaded(labs), ...this.#heard(labs)].map((each) => [each.aggregate, each]),
    );
    const changed: NewEvent[] = [];
    for (const each of current.values())
      if (this.#published.get(each.aggregate) !== textOf(each)) changed.push(each);
    for (const aggregate of this.#published.keys())
      if (!current.has(aggregate)) changed.push(gone(aggregate));
    for (const each of changed) turn.publish(each);
    turn.afterCommit(() => {
      for (const each of changed)
        if (current.has(each.aggregate)) this.#published.set(each.aggregate, textOf(each));
        else this.#published.delete(each.aggregate);
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

  *#heard(labs: LabMap): Iterable<NewEvent> {
    const { directory } = this.ports;
    for (const { computer, inc, state } of directory.all())
      yield newEvent('agent', computer, state, { computer, inc, state, reachable: isReachable(state) });
    for (const device of labs.devices.values()) {
      const { key, lab, name, type, computer } = device;
      const { state, detail, status } = deviceStatusOf(device, directory);
      const body = { lab, name, device_type: type, computer, state, detail, halted: status?.halted ?? null };
      yield newEvent('device', key, state, { ...body, labs: [lab] });
    }
  }

  *#loaded(labs: LabMap): Iterable<NewEvent> {
    const { definitions } = this.ports;
    for (const name of labs.labs.keys()) {
      const body = { name, takes_work: definitions.takesWork(name), labs: [name] };
      yield newEvent('lab', name, 'loaded', body);
    }
    for (const name of definitions.protocolTypes()) {
      const snapshot = definitions.protocol(name);
      if (snapshot === undefined) continue;
      yield newEvent('protocol', name, 'loaded', {
        name,
        hash: snapshot.hash,
        labs: [...snapshot.protocol.labs],
      });
    }
  }
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
