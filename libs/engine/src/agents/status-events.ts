import { isReachable } from '@lab/contracts';
import type { LabMap } from '../labs/index.js';
import type { Definitions } from '../rows/index.js';
import { type Told, type Turn, told } from '../turn/index.js';
import type { AgentDirectory } from './agent-directory.js';
import { deviceStatusOf } from './device-status.js';

/** Shortest time between two commits that tell of nothing else, in milliseconds: devices may change by the call. */
const paceMs = 100;

export interface StatusEventPorts {
  directory: AgentDirectory;
  definitions: Definitions;
  labs: () => LabMap;
}

/**
 * Tells of what no row stands for: agents and devices as they are heard, and what is loaded. It is told when it is not
 * what was told last, so a state that came and went between two commits is passed over, and every leader begins with
 * all there is.
 */
export class StatusEvents {
  readonly #ports: StatusEventPorts;
  /** Aggregate to what was told of it last. */
  readonly #told = new Map<string, string>();
  #seenNews = -1;
  #seenLabs: LabMap | undefined;
  #lastAt = -Infinity;

  constructor(ports: StatusEventPorts) {
    this.#ports = ports;
  }

  /** A leadership begins, which must not depend on what is told: that comes a moment later. */
  begin(now: number): void {
    this.#lastAt = now;
  }

  /** At the end of a turn: with what it commits anyway, or when the latest was told long enough ago. */
  settle(turn: Turn): void {
    if (!this.#isNew()) return;
    if (turn.changes.length === 0 && turn.now < this.#lastAt + paceMs) return;
    const { directory } = this.#ports;
    const [news, labs] = [directory.news, this.#ports.labs()];
    const standing = new Map(
      [...this.#loaded(labs), ...this.#heard(labs)].map((each) => [each.aggregate, each]),
    );
    const changed: Told[] = [];
    for (const each of standing.values())
      if (this.#told.get(each.aggregate) !== textOf(each)) changed.push(each);
    for (const aggregate of this.#told.keys()) if (!standing.has(aggregate)) changed.push(gone(aggregate));
    for (const each of changed) turn.tell(each);
    turn.afterCommit(() => {
      for (const each of changed)
        if (standing.has(each.aggregate)) this.#told.set(each.aggregate, textOf(each));
        else this.#told.delete(each.aggregate);
      this.#seenNews = news;
      this.#seenLabs = labs;
      this.#lastAt = turn.now;
    });
  }

  /** When there is something to tell that had to wait; undefined: there is nothing. */
  next(): number | undefined {
    return this.#isNew() ? this.#lastAt + paceMs : undefined;
  }

  #isNew(): boolean {
    return this.#seenNews !== this.#ports.directory.news || this.#seenLabs !== this.#ports.labs();
  }

  *#heard(labs: LabMap): Iterable<Told> {
    const { directory } = this.#ports;
    for (const { computer, inc, state } of directory.all())
      yield told('agent', computer, state, { computer, inc, state, reachable: isReachable(state) });
    for (const device of labs.devices.values()) {
      const { key, lab, name, type, computer } = device;
      const { state, detail, status } = deviceStatusOf(device, directory);
      const body = { lab, name, device_type: type, computer, state, detail, halted: status?.halted ?? null };
      yield told('device', key, state, { ...body, labs: [lab] });
    }
  }

  *#loaded(labs: LabMap): Iterable<Told> {
    const { definitions } = this.#ports;
    for (const name of labs.labs.keys()) {
      const body = { name, takes_work: definitions.takesWork(name), labs: [name] };
      yield told('lab', name, 'loaded', body);
    }
    for (const name of definitions.protocolTypes()) {
      const snapshot = definitions.protocol(name);
      if (snapshot === undefined) continue;
      yield told('protocol', name, 'loaded', {
        name,
        hash: snapshot.hash,
        labs: [...snapshot.protocol.labs],
      });
    }
  }
}

function textOf({ type, body }: Told): string {
  return `${type} ${JSON.stringify(body)}`;
}

/** It belongs to what is not loaded any more. */
function gone(aggregate: string): Told {
  const [kind = '', ...rest] = aggregate.split('/');
  const name = rest.join('/');
  const lab = kind === 'device' ? name.slice(0, name.indexOf('.')) : name;
  return {
    aggregate,
    type: `${kind}.unloaded`,
    body: { name, labs: kind === 'device' || kind === 'lab' ? [lab] : [] },
  };
}
