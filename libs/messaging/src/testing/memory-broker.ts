import type { Bus, BusStatus } from '../bus.js';
import { defaultDrainMs, silentLog, type BusIdentity } from '../connect-bus.js';
import { MessageBus } from '../message-bus.js';
import { systemBusTimers, type BusTimers } from '../timers.js';
import type { Wire, WireMessage, WireSubscription } from '../wire.js';

export interface CarriedMessage {
  readonly subject: string;
  readonly reply: string;
  readonly data: Uint8Array;
}

export interface MemoryBrokerOptions {
  /** The largest message, in bytes. Default 1 MiB, as in NATS. */
  maxPayload?: number;
  /** Timers of every bus that has none of its own. Default: real time. */
  timers?: BusTimers;
  /**
   * Carries a message from its sender to its receivers. It calls `deliver` at once, later, twice, or never. Default: at
   * once.
   */
  carry?: (message: CarriedMessage, deliver: () => void) => void;
}

export interface MemoryIdentity extends BusIdentity {
  /** Puts something between the bus and its connection, for example the faults of a network. Default: nothing. */
  over?: (wire: MemoryWire) => Wire;
}

interface Interest {
  wire: MemoryWire;
  onMessage: (message: WireMessage) => void;
  queue?: string | undefined;
}

/**
 * A broker inside this process, with the semantics of NATS core. Messages are bytes. Delivery is asynchronous and in
 * order. Every present subscriber gets a message; of the members of a queue, one gets it in turn. The broker reports at
 * once that no process serves a request.
 */
export class MemoryBroker {
  readonly maxPayload: number;
  readonly #timers: BusTimers;
  readonly #carry: (message: CarriedMessage, deliver: () => void) => void;
  readonly #wires = new Map<Bus, MemoryWire>();
  readonly #interests = new Map<string, Set<Interest>>();
  /** Patterns with wildcards, each with its tokens. */
  readonly #wild = new Map<string, string[]>();
  #connections = 0;
  #routed = 0;
  #running = true;

  constructor({ maxPayload = 1_048_576, timers = systemBusTimers, carry }: MemoryBrokerOptions = {}) {
    this.maxPayload = maxPayload;
    this.#timers = timers;
    this.#carry = carry ?? ((_, deliver) => deliver());
  }

  /** Makes a connection. If the broker is stopped, the bus becomes connected when the broker starts. */
  connect({
    role,
    name,
    log = silentLog,
    requestId,
    signAct,
    timers = this.#timers,
    drainMs = defaultDrainMs,
    over = (wire) => wire,
  }: MemoryIdentity): Bus {
    const wire = this.attach();
    const options = { src: `${role}/${name}`, requestId, signAct, timers, log, drainMs };
    const bus = new MessageBus({ wire: over(wire), ...options });
    this.#wires.set(bus, wire);
    wire.onClosed = () => void this.#wires.delete(bus);
    return bus;
  }

  /** Makes a connection without a bus: bytes on subjects. */
  attach(): MemoryWire {
    this.#connections += 1;
    return new MemoryWire(this, `_INBOX.memory.${this.#connections}`, this.#running);
  }

  /** Cuts every connection until {@link start}. Messages on their way are lost. */
  stop(): void {
    this.#running = false;
    for (const wire of this.#wires.values()) wire.set(false);
  }

  start(): void {
    this.#running = true;
    for (const wire of this.#wires.values()) wire.set(true);
  }

  /**
   * Cuts the connection of one bus until {@link restore}.
   *
   * @throws Error when the bus is closed or not connected through this broker
   */
  cut(bus: Bus): void {
    this.#wireOf(bus).set(false);
  }

  restore(bus: Bus): void {
    this.#wireOf(bus).set(this.#running);
  }

  /** @internal */
  send(message: CarriedMessage): void {
    this.#carry(message, () => queueMicrotask(() => this.#route(message)));
  }

  /** @internal */
  add(subject: string, interest: Interest): () => void {
    const interests = this.#interests.get(subject) ?? new Set();
    this.#interests.set(subject, interests);
    if (subject.includes('*')) this.#wild.set(subject, subject.split('.'));
    interests.add(interest);
    return () => {
      interests.delete(interest);
      if (interests.size > 0 || this.#interests.get(subject) !== interests) return;
      this.#interests.delete(subject);
      this.#wild.delete(subject);
    };
  }

  #route(message: CarriedMessage): void {
    if (!this.#running) return;
    const receivers = this.#receivers(message.subject);
    for (const { onMessage } of receivers) onMessage({ ...message, noResponders: false });
    if (receivers.length > 0 || message.reply === '') return;
    const refusal = { subject: message.reply, reply: '', data: new Uint8Array(), noResponders: true };
    for (const { onMessage } of this.#receivers(message.reply)) onMessage(refusal);
  }

  #receivers(subject: string): Interest[] {
    const receivers: Interest[] = [];
    const collect = (pattern: string): void => {
      for (const interest of this.#interests.get(pattern) ?? [])
        if (interest.wire.connected) receivers.push(interest);
    };
    collect(subject);
    const tokens = subject.split('.');
    for (const [pattern, wanted] of this.#wild) if (matches(wanted, tokens)) collect(pattern);
    if (receivers.every(({ queue }) => queue === undefined)) return receivers;
    this.#routed += 1;
    return receivers.filter(({ queue }, index) => {
      if (queue === undefined) return true;
      const members = receivers.flatMap((each, place) => (each.queue === queue ? [place] : []));
      return members[this.#routed % members.length] === index;
    });
  }

  #wireOf(bus: Bus): MemoryWire {
    const wire = this.#wires.get(bus);
    if (wire === undefined) throw new Error('the bus is not connected through this broker');
    return wire;
  }
}

/** A connection to a {@link MemoryBroker}. */
export class MemoryWire implements Wire {
  onClosed: () => void = () => undefined;
  readonly #removers = new Set<() => void>();
  #onStatus: (status: BusStatus) => void = () => undefined;
  #closed = false;

  constructor(
    private readonly broker: MemoryBroker,
    readonly inbox: string,
    private isConnected: boolean,
  ) {}

  get connected(): boolean {
    return this.isConnected;
  }

  get maxPayload(): number {
    return this.broker.maxPayload;
  }

  publish(subject: string, data: Uint8Array, reply = ''): void {
    this.broker.send({ subject, reply, data });
  }

  subscribe(subject: string, onMessage: (message: WireMessage) => void, queue?: string): WireSubscription {
    const remove = this.broker.add(subject, { wire: this, onMessage, queue });
    this.#removers.add(remove);
    return {
      drain: async () => {
        await nextTurn();
        remove();
        this.#removers.delete(remove);
      },
    };
  }

  listen(onStatus: (status: BusStatus) => void): void {
    this.#onStatus = onStatus;
  }

  async flush(): Promise<void> {
    await nextTurn();
    if (!this.isConnected) throw new Error('the connection was lost');
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.isConnected = false;
    for (const remove of this.#removers) remove();
    this.#removers.clear();
    this.onClosed();
    this.#onStatus('closed');
    return Promise.resolve();
  }

  set(connected: boolean): void {
    if (this.#closed || connected === this.isConnected) return;
    this.isConnected = connected;
    this.#onStatus(connected ? 'connected' : 'disconnected');
  }
}

/** Resolves after the messages that were sent before. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(resolve));
}

function matches(pattern: readonly string[], subject: readonly string[]): boolean {
  return (
    pattern.length === subject.length &&
    pattern.every((token, index) => token === '*' || token === subject[index])
  );
}
