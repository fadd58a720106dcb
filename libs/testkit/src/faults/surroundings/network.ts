import {
  isServiceError,
  ServiceError,
  toServiceError,
  type AnyEvent,
  type AnyRequest,
  type BodyOf,
  type Envelope,
  type ReplyOf,
  type RequestOf,
  type Tokens,
} from '@lab/contracts';
import { diceOf } from '../plan/chance.js';
import type { Points } from './fault-points.js';
import type { History } from './history.js';
import type { Life } from './life.js';
import { Link, type LinkStatus } from './link.js';
import type { SimulatedTime } from './simulated-time.js';

type TokensFor<D extends { readonly subject: string }> = Tokens<D['subject']>;
type Marks = Pick<Envelope, 'epoch' | 'inc' | 'fence' | 'fresh'>;

export interface RequestOptions extends Marks {
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What befalls one message, counted by the name of its definition. */
export type MessageFault =
  { what: 'lose' | 'lose_reply' } | { what: 'double' | 'delay' | 'delay_reply'; ms: number };

/** Decides about the `n`-th message of a name, from 1. */
export type Weather = (name: string, n: number) => MessageFault | undefined;

interface Served {
  kind: string;
  tokens: Record<string, string | undefined>;
  link: Link;
  handle: (body: unknown, envelope: Envelope, tokens: Record<string, string>) => unknown;
}

const latencyMs = { least: 0.2, spread: 2 };

/**
 * The broker and everybody's connection to it. Delivery is at most once by contract of the broker; the weather loses,
 * doubles, delays and so reorders what passes. What is sent is copied as JSON, as on the wire.
 */
export class Network {
  readonly #served = new Set<Served>();
  readonly #links = new Map<string, Link>();
  readonly #counts = new Map<string, number>();
  /** Messages are delayed by up to so many milliseconds beyond the usual. */
  slowMs = 0;

  constructor(
    readonly parts: {
      time: SimulatedTime;
      points: Points;
      weather: Weather;
      history: History;
      seed: number;
    },
  ) {}

  /** Connects a process, instead of the earlier life of the same node. */
  connect(life: Life): Wire {
    const link = new Link(life, this.parts.time);
    this.#links.set(life.node, link);
    return new Wire(this, link);
  }

  /** Takes the link of a node away for a time, in milliseconds. */
  cut(node: string, mode: 'closed' | 'silent', ms: number): void {
    this.#links.get(node)?.cut(mode, ms);
  }

  /** The broker is restarted: everybody loses the connection for a time, in milliseconds. */
  restartBroker(ms: number): void {
    for (const link of this.#links.values()) link.cut('closed', ms);
  }

  add(served: Served): () => void {
    this.#served.add(served);
    return () => this.#served.delete(served);
  }

  /** Who serves the subject, as the broker sees it at this moment. */
  serving(kind: string, tokens: Record<string, string>): Served[] {
    return [...this.#served].filter(
      (served) =>
        served.kind === kind &&
        served.link.reachable &&
        Object.entries(tokens).every(
          ([name, value]) => served.tokens[name] === undefined || served.tokens[name] === value,
        ),
    );
  }

  /** The number of the next message of the name, and what befalls it. */
  next(name: string): { n: number; fault: MessageFault | undefined } {
    const n = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, n);
    return { n, fault: this.parts.weather(name, n) };
  }

  /** How long a message takes on its way, in milliseconds. */
  latency(name: string, n: number): number {
    const dice = diceOf(this.parts.seed, name, n);
    return (
      latencyMs.least + latencyMs.spread * dice + this.slowMs * diceOf(this.parts.seed, `${name} slow`, n)
    );
  }
}

/** One process's end of the network, with the meaning of the real bus. */
export class Wire {
  readonly #network: Network;
  readonly #link: Link;
  readonly #pending = new Set<(error: ServiceError) => void>();

  constructor(network: Network, link: Link) {
    this.#network = network;
    this.#link = link;
    link.onStatus((status) => {
      if (status === 'connected') return;
      const lost = new ServiceError('disconnected', 'the connection to the broker was lost', {
        effect: 'maybe',
      });
      for (const fail of [...this.#pending]) fail(lost);
    });
  }

  get connected(): boolean {
    return this.#link.connected;
  }

  onStatus(listener: (status: LinkStatus) => void): void {
    this.#link.onStatus(listener);
  }

  request<D extends AnyRequest>(
    definition: D,
    tokens: TokensFor<D>,
    body: RequestOf<D>,
    { timeoutMs = definition.timeoutMs, signal, ...marks }: RequestOptions = {},
  ): Promise<ReplyOf<D>> {
    const { points } = this.#network.parts;
    const { life } = this.#link;
    const { name } = definition;
    return life.ask<ReplyOf<D>>((resolve, reject) => {
      points.reach(`send ${name}`, 'before', life);
      life.act(() => {
        if (!this.#link.connected) {
          reject(new ServiceError('disconnected', `${name} was not sent: there is no connection`));
          return;
        }
        const { n, fault } = this.#network.next(name);
        const envelope: Envelope = {
          v: 1,
          id: `${name}/${n}`,
          kind: name,
          src: life.node,
          ttl_ms: timeoutMs,
          body: copy(body),
          ...marks,
        };
        const settle = (then: () => void): void => {
          if (!this.#pending.delete(fail)) return;
          cancel();
          signal?.removeEventListener('abort', onAbort);
          then();
        };
        const fail = (error: ServiceError): void => settle(() => reject(error));
        const onAbort = (): void =>
          fail(new ServiceError('aborted', `${name} was aborted`, { effect: 'maybe' }));
        const cancel = life.after(timeoutMs, () =>
          fail(new ServiceError('deadline_exceeded', `no reply to ${name} in time`, { effect: 'maybe' })),
        );
        this.#pending.add(fail);
        signal?.addEventListener('abort', onAbort);
        this.#deliver(envelope, tokens as Record<string, string>, n, fault, (reply) =>
          this.#link.pass(() =>
            life.act(() =>
              settle(() => (isServiceError(reply) ? reject(reply) : resolve(reply as ReplyOf<D>))),
            ),
          ),
        );
        points.reach(`send ${name}`, 'after', life);
      });
    });
  }

  publish<D extends AnyEvent>(definition: D, tokens: TokensFor<D>, body: BodyOf<D>): void {
    const { points, time } = this.#network.parts;
    const { life } = this.#link;
    const { name } = definition;
    points.reach(`send ${name}`, 'before', life);
    life.act(() => {
      if (!this.#link.connected) return;
      const { n, fault } = this.#network.next(name);
      const envelope: Envelope = { v: 1, id: `${name}/${n}`, kind: name, src: life.node, body: undefined };
      const text = JSON.stringify(body);
      const arrive = (): void => {
        const named = tokens as Record<string, string>;
        for (const served of this.#network.serving(name, named))
          served.link.pass(() =>
            served.link.life.act(() => void served.handle(JSON.parse(text), envelope, named)),
          );
      };
      const send = (ms: number): void => void time.after(ms, arrive);
      this.#link.pass(() => {
        const latency = this.#network.latency(name, n);
        if (fault?.what === 'lose') return;
        send(fault?.what === 'delay' ? latency + fault.ms : latency);
        if (fault?.what === 'double') send(latency + fault.ms);
      });
      points.reach(`send ${name}`, 'after', life);
    });
  }

  /** Answers requests; a token that is left out stands for any value. The returned function ends it. */
  serve<D extends AnyRequest>(
    definition: D,
    tokens: Partial<TokensFor<D>>,
    handler: (
      body: RequestOf<D>,
      envelope: Envelope,
      tokens: TokensFor<D>,
    ) => Promise<ReplyOf<D>> | ReplyOf<D>,
  ): () => void {
    return this.#network.add({
      kind: definition.name,
      tokens: tokens as Record<string, string>,
      link: this.#link,
      handle: (body, envelope, named) => handler(body as RequestOf<D>, envelope, named as TokensFor<D>),
    });
  }

  /** Listens to an event; a token that is left out stands for any value. The returned function ends it. */
  subscribe<D extends AnyEvent>(
    definition: D,
    tokens: Partial<TokensFor<D>>,
    handler: (body: BodyOf<D>, envelope: Envelope, tokens: TokensFor<D>) => void,
  ): () => void {
    return this.#network.add({
      kind: definition.name,
      tokens: tokens as Record<string, string>,
      link: this.#link,
      handle: (body, envelope, named) => handler(body as BodyOf<D>, envelope, named as TokensFor<D>),
    });
  }

  #deliver(
    envelope: Envelope,
    tokens: Record<string, string>,
    n: number,
    fault: MessageFault | undefined,
    answer: (reply: unknown) => void,
  ): void {
    const { time, history } = this.#network.parts;
    const { kind } = envelope;
    const arrive = (): void => {
      const serving = this.#network.serving(kind, tokens);
      if (serving.length === 0) answer(new ServiceError('service_unavailable', `nobody serves ${kind}`));
      for (const served of serving) {
        served.link.pass(() => {
          const arrivedAt = time.now();
          served.link.life.act(() => this.#perform(served, envelope, tokens, n, arrivedAt, fault, answer));
        });
      }
    };
    const latency = this.#network.latency(kind, n);
    history.note(`${envelope.src} sends ${envelope.id}`, fault);
    this.#link.pass(() => {
      if (fault?.what === 'lose') return;
      time.after(fault?.what === 'delay' ? latency + fault.ms : latency, arrive);
      if (fault?.what === 'double') time.after(latency + fault.ms, arrive);
    });
  }

  #perform(
    served: Served,
    envelope: Envelope,
    tokens: Record<string, string>,
    n: number,
    arrivedAt: number,
    fault: MessageFault | undefined,
    answer: (reply: unknown) => void,
  ): void {
    const { time, points, history } = this.#network.parts;
    const { life } = served.link;
    const { kind } = envelope;
    const reply = (body: unknown): void => {
      points.reach(`reply ${kind}`, 'before', life);
      life.act(() => {
        history.note(`${life.node} answers ${envelope.id}`, isServiceError(body) ? body.code : undefined);
        const copied = isServiceError(body) ? body : copy(body);
        const latency =
          this.#network.latency(`${kind} reply`, n) + (fault?.what === 'delay_reply' ? fault.ms : 0);
        served.link.pass(() => {
          if (fault?.what !== 'lose_reply') time.after(latency, () => answer(copied));
        });
        points.reach(`reply ${kind}`, 'after', life);
      });
    };
    if (envelope.ttl_ms !== undefined && time.now() - arrivedAt >= envelope.ttl_ms) {
      reply(new ServiceError('deadline_exceeded', `${kind} waited longer than its caller`));
      return;
    }
    const failed = (error: unknown): void => {
      if (!isServiceError(error)) history.defect(`${life.node}: handler of ${kind} failed`, error);
      reply(toServiceError(error));
    };
    try {
      Promise.resolve(served.handle(copy(envelope.body), envelope, tokens)).then(reply, failed);
    } catch (error) {
      failed(error);
    }
  }
}

function copy<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}
