import type { Bus, BusLog, BusStatus, Wire, WireMessage, WireSubscription } from '@lab/messaging';
import { MemoryBroker, type MemoryWire } from '@lab/messaging/testing';
import { diceOf } from '../plan/chance.js';
import type { Points } from './fault-points.js';
import type { History } from './history.js';
import type { Life } from './life.js';
import { Link } from './link.js';
import type { SimulatedTime } from './simulated-time.js';

/** What befalls one message, counted by the name of its definition. */
export type MessageFault =
  { what: 'lose' | 'lose_reply' } | { what: 'double' | 'delay' | 'delay_reply'; ms: number };

/** Decides about the `n`-th message of a name, from 1. */
export type Weather = (name: string, n: number) => MessageFault | undefined;

/** A message of the catalogue on its way. */
interface Sent {
  name: string;
  n: number;
  fault: MessageFault | undefined;
}

interface Parts {
  time: SimulatedTime;
  points: Points;
  weather: Weather;
  history: History;
  seed: number;
}

const latencyMs = { least: 0.2, spread: 2 };

/**
 * The connections of all processes to one {@link MemoryBroker}, with the faults of a network: messages are lost, doubled,
 * delayed and so reordered, links are cut, and the broker restarts. The bus above is the one of the processes.
 */
export class Network {
  readonly broker = new MemoryBroker();
  readonly #links = new Map<string, Link>();
  readonly #counts = new Map<string, number>();
  /** Name of a message by its subject. */
  readonly #names = new Map<string, string>();
  /** Requests by the subject of their reply. */
  readonly #requests = new Map<string, Sent>();
  /** Messages are delayed by up to this many milliseconds beyond the usual. */
  slowMs = 0;

  constructor(readonly parts: Parts) {}

  /** Connects a process, in place of the earlier life of the same node. */
  connect(life: Life): Bus {
    return this.broker.connect({
      role: life.node,
      name: 'simulated',
      timers: life,
      log: busLog(this.parts.history, life),
      over: (wire) => {
        const link = new Link(life, this.parts.time, wire);
        this.#links.set(life.node, link);
        return new FaultyWire(this, link, wire);
      },
    });
  }

  /** Takes the link of a node away for a time, in milliseconds. */
  cut(node: string, mode: 'closed' | 'silent', ms: number): void {
    this.#links.get(node)?.cut(mode, ms);
  }

  /** The broker restarts: every process loses its connection for a time, in milliseconds. */
  restartBroker(ms: number): void {
    for (const link of this.#links.values()) link.cut('closed', ms);
  }

  /** The request that a reply on this subject belongs to; undefined: the subject is not that of a reply. */
  requestOf(subject: string): Sent | undefined {
    return this.#requests.get(subject);
  }

  /** The name of a message of the catalogue. */
  nameOf(subject: string, data: Uint8Array): string {
    const known =
      this.#names.get(subject) ?? (JSON.parse(Buffer.from(data).toString()) as { kind: string }).kind;
    this.#names.set(subject, known);
    return known;
  }

  /** Counts a message, decides what befalls it, and notes where its reply goes. */
  next(name: string, reply: string): Sent {
    const n = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, n);
    const sent = { name, n, fault: this.parts.weather(name, n) };
    if (reply !== '') this.#requests.set(reply, sent);
    return sent;
  }

  /** How long a message is under way, in milliseconds. */
  latency(name: string, n: number): number {
    const { seed } = this.parts;
    const usual = latencyMs.least + latencyMs.spread * diceOf(seed, name, n);
    return usual + this.slowMs * diceOf(seed, `${name} slow`, n);
  }
}

/** One process's end of the network: its messages reach points, pass the link, and suffer faults. */
class FaultyWire implements Wire {
  constructor(
    private readonly network: Network,
    private readonly link: Link,
    private readonly wire: MemoryWire,
  ) {}

  get connected(): boolean {
    return this.link.connected;
  }

  get maxPayload(): number {
    return this.wire.maxPayload;
  }

  get inbox(): string {
    return this.wire.inbox;
  }

  publish(subject: string, data: Uint8Array, reply = ''): void {
    const { points, history } = this.network.parts;
    const { life } = this.link;
    const request = this.network.requestOf(subject);
    const name = request?.name ?? this.network.nameOf(subject, data);
    const point = `${request === undefined ? 'send' : 'reply'} ${name}`;
    points.reach(point, 'before', life);
    life.act(() => {
      if (!this.link.connected) return;
      const sent = request ?? this.network.next(name, reply);
      if (request !== undefined) history.note(`${life.node} answers ${name}/${request.n}`);
      else if (reply !== '') history.note(`${life.node} sends ${name}/${sent.n}`, sent.fault);
      const deliver = (): void => this.wire.publish(subject, data, reply);
      this.link.pass(() => {
        if (request === undefined) this.#carry(sent, deliver);
        else this.#carryReply(sent, deliver);
      });
      points.reach(point, 'after', life);
    });
  }

  subscribe(subject: string, onMessage: (message: WireMessage) => void, queue?: string): WireSubscription {
    const { life } = this.link;
    const receive = (message: WireMessage): void => this.link.pass(() => life.act(() => onMessage(message)));
    return this.wire.subscribe(subject, receive, queue);
  }

  listen(onStatus: (status: BusStatus) => void): void {
    this.link.listen(onStatus);
  }

  flush(): Promise<void> {
    return this.wire.flush();
  }

  close(): Promise<void> {
    return this.wire.close();
  }

  #carry({ name, n, fault }: Sent, deliver: () => void): void {
    const { time } = this.network.parts;
    const latency = this.network.latency(name, n);
    if (fault?.what === 'lose') return;
    time.after(fault?.what === 'delay' ? latency + fault.ms : latency, deliver);
    if (fault?.what === 'double') time.after(latency + fault.ms, deliver);
  }

  #carryReply({ name, n, fault }: Sent, deliver: () => void): void {
    if (fault?.what === 'lose_reply') return;
    const extra = fault?.what === 'delay_reply' ? fault.ms : 0;
    this.network.parts.time.after(this.network.latency(`${name} reply`, n) + extra, deliver);
  }
}

/** Messages that do not fit the catalogue and handlers that break down are defects of the service. */
function busLog(history: History, { node }: Life): BusLog {
  const defect = (message: string, fields: Record<string, unknown> = {}): void =>
    history.defect(`${node}: ${message}`, fields['error'] ?? JSON.stringify(fields));
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (message, fields = {}) => {
      const isMalformed = message.startsWith('malformed') || fields['code'] === 'bad_request';
      if (isMalformed) defect(message, fields);
      else history.note(`  ${node} warn: ${message}`, JSON.stringify(fields).slice(0, 300));
    },
    error: defect,
  };
}
