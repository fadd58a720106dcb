import { randomUUID } from 'node:crypto';
import { NotBegun, type JsonObject, type JsonValue } from '@lab/sdk';
import { MqttClient, type IClientOptions, type IConnackPacket, type IPublishPacket, type Packet } from 'mqtt';
import { ExchangeError, messageOf } from '../errors/index.js';
import { openSocket } from '../messages/index.js';
import type { Message, OpenPort, Port, PortEvents, Purpose, Target } from '../messages/index.js';
import { decodePayload, encodePayload } from './payload.js';

/** A message to publish. */
export interface MqttMessage extends JsonObject {
  topic: string;
  payload: JsonValue;
  qos: 0 | 1 | 2;
  retain: boolean;
}

export interface MqttPeer {
  target: Target;
  broker: string;
  clientId: string;
  user: string | undefined;
  password: string | undefined;
  keepalive: number;
  will: MqttMessage | undefined;
  /** Topics that the device listens to. */
  topics: readonly string[];
  /** Null: no function waits for answers. */
  responseTopic: string | null;
  callId: () => string | undefined;
}

/** Reason codes of MQTT 5 (section 2.4) that people can do something about. */
const codes = { noSubscriber: 0x10, notAuthorised: 0x87, wrongPassword: 0x86, takenOver: 0x8e } as const;

/**
 * Opens a connection to a broker with MQTT 5. Each connection is a new session, and the client keeps nothing to send again: what was
 * published on a lost connection stays an open question.
 */
export function mqttPort(peer: MqttPeer): OpenPort {
  return async (events, signal) => {
    const socket = await openSocket(peer.target, signal);
    const client = new MqttClient(() => socket, optionsOf(peer));
    const port = new MqttPort(peer, client, events);
    try {
      await port.start(signal);
    } catch (error) {
      await port.close();
      throw new NotBegun(messageOf(error), { cause: error });
    }
    return port;
  };
}

function optionsOf({ clientId, user, password, keepalive, will }: MqttPeer): IClientOptions {
  return {
    protocolVersion: 5,
    clientId,
    keepalive,
    clean: true,
    reconnectPeriod: 0,
    queueQoSZero: false,
    resubscribe: false,
    connectTimeout: 15_000,
    properties: { sessionExpiryInterval: 0 },
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(will === undefined ? {} : { will: { ...will, payload: Buffer.from(encodePayload(will.payload)) } }),
  };
}

class MqttPort implements Port {
  /** Aborts with the reason when the connection is lost or closed. */
  readonly #ended = new AbortController();
  /** What waits for an answer, by correlation data. */
  readonly #waiting = new Map<string, (payload: JsonValue) => void>();
  /** Reason codes of acknowledged messages that nobody had subscribed to, by message id. */
  readonly #unheard = new Set<number>();
  #largestQos = 2;
  #why: Error | null = null;

  constructor(
    private readonly peer: MqttPeer,
    private readonly client: MqttClient,
    private readonly events: PortEvents,
  ) {
    client.on('message', (topic, payload, packet) => this.#hear(topic, payload, packet));
    client.on('packetreceive', (packet) => this.#see(packet));
    client.on('error', (error) => (this.#why ??= explain(error, peer)));
    client.on('close', () => this.#lose());
  }

  async start(signal: AbortSignal): Promise<void> {
    const connack = await this.#race<IConnackPacket>(signal, (resolve) =>
      this.client.once('connect', resolve),
    );
    this.#largestQos = connack.properties?.maximumQoS ?? 2;
    const { topics, responseTopic } = this.peer;
    const all = [...topics, ...(responseTopic === null ? [] : [responseTopic])];
    if (all.length === 0) return;
    const wanted = Object.fromEntries(
      all.map((topic) => [topic, { qos: Math.min(1, this.#largestQos) as 0 | 1 }]),
    );
    await this.#race<void>(signal, (resolve, reject) => {
      this.client.subscribe(wanted, (error, granted) => {
        const refused = (granted ?? []).filter(({ qos }) => qos >= 0x80).map(({ topic }) => topic);
        if (refused.length > 0) {
          reject(
            new Error(
              `the broker ${this.peer.broker} does not let ${who(this.peer)} subscribe to ${refused.join(', ')}: allow it in the access list of the broker`,
            ),
          );
        } else if (error) {
          reject(
            new Error(
              `${who(this.peer)} cannot subscribe to ${all.join(', ')} at ${this.peer.broker}: ${messageOf(error)}. Does the access list of the broker allow it?`,
            ),
          );
        } else resolve();
      });
    });
  }

  async exchange(request: Message, { signal }: Purpose): Promise<Message> {
    const { topic, qos, payload, retain } = request as MqttMessage;
    for (const { aborted, reason } of [this.#ended.signal, signal]) {
      if (aborted) throw new NotBegun(messageOf(reason));
    }
    if (qos > this.#largestQos) {
      throw new NotBegun(
        `the broker ${this.peer.broker} takes messages up to QoS ${this.#largestQos}: write qos: ${this.#largestQos} into publish of the function`,
      );
    }
    if (request['request'] !== true) {
      await this.#publish(topic, payload, { qos, retain }, signal);
      return {};
    }
    const own = this.peer.callId();
    const correlation = own !== undefined && !this.#waiting.has(own) ? own : randomUUID();
    try {
      return await this.#race<Message>(signal, (resolve, reject) => {
        this.#waiting.set(correlation, (answer) => resolve({ payload: answer }));
        const properties = {
          responseTopic: this.peer.responseTopic ?? '',
          correlationData: Buffer.from(correlation),
        };
        this.#publish(topic, payload, { qos, retain, properties }, signal).catch(reject);
      });
    } finally {
      this.#waiting.delete(correlation);
    }
  }

  async close(): Promise<void> {
    const wasOpen = !this.#ended.signal.aborted;
    this.#ended.abort(new ExchangeError('the connection was closed'));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.client.stream.destroy();
        resolve();
      }, 1_000);
      // A farewell to the broker keeps it from publishing the last will.
      this.client.end(!wasOpen || !this.client.connected, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async #publish(
    topic: string,
    payload: JsonValue,
    options: Parameters<MqttClient['publish']>[2] & { qos: 0 | 1 | 2 },
    signal: AbortSignal,
  ): Promise<void> {
    let id = 0;
    await this.#race<void>(signal, (resolve, reject) => {
      this.client.publish(topic, encodePayload(payload), options, (error) => {
        if (error) reject(new ExchangeError(refusal(error, topic, this.peer), { cause: error }));
        else resolve();
      });
      id = this.client.getLastMessageId();
    });
    if (options.qos > 0 && this.#unheard.delete(id)) {
      throw new ExchangeError(
        `nobody has subscribed to ${topic} at ${this.peer.broker}, so nobody got the message. Is the instrument on, and is the topic right?`,
      );
    }
  }

  /** Waits for a result, for the end of the connection, or for the end of the time. */
  async #race<Result>(
    signal: AbortSignal,
    begin: (resolve: (result: Result) => void, reject: (error: unknown) => void) => void,
  ): Promise<Result> {
    const both = AbortSignal.any([signal, this.#ended.signal]);
    both.throwIfAborted();
    let abort: (() => void) | undefined;
    try {
      return await new Promise<Result>((resolve, reject) => {
        abort = () => reject(both.reason as Error);
        both.addEventListener('abort', abort, { once: true });
        begin(resolve, reject);
      });
    } finally {
      if (abort !== undefined) both.removeEventListener('abort', abort);
    }
  }

  #hear(topic: string, bytes: Uint8Array, { properties, retain }: IPublishPacket): void {
    const payload = decodePayload(bytes);
    if (topic !== this.peer.responseTopic) {
      this.events.heard({ topic, payload, retain });
      return;
    }
    const correlation = properties?.correlationData?.toString() ?? '';
    // An answer to a call that has ended, or to another client, is nobody's.
    this.#waiting.get(correlation)?.(payload);
  }

  #see(packet: Packet): void {
    if (packet.cmd === 'disconnect') {
      const code = packet.reasonCode ?? 0;
      this.#why ??=
        code === codes.takenOver
          ? new Error(
              `another client connected to ${this.peer.broker} with the client id ${this.peer.clientId}: give each device a client_id of its own`,
            )
          : new Error(
              `the broker ${this.peer.broker} ended the connection with the reason code ${code}${packet.properties?.reasonString === undefined ? '' : ` (${packet.properties.reasonString})`}`,
            );
    }
    const isAck = packet.cmd === 'puback' || packet.cmd === 'pubrec';
    if (isAck && packet.reasonCode === codes.noSubscriber && packet.messageId !== undefined) {
      this.#unheard.add(packet.messageId);
    }
  }

  #lose(): void {
    if (this.#ended.signal.aborted) return;
    const reason =
      this.#why ??
      new Error(
        `the broker ${this.peer.broker} closed the connection. Has another client the client id ${this.peer.clientId}?`,
      );
    this.#ended.abort(new ExchangeError(messageOf(reason), { cause: reason }));
    this.events.lost(reason);
  }
}

const who = ({ user, clientId }: MqttPeer): string =>
  user === undefined ? `the client ${clientId}` : `the user ${user}`;

function explain(error: Error, peer: MqttPeer): Error {
  const code = 'code' in error ? error.code : undefined;
  if (code === codes.notAuthorised || code === codes.wrongPassword || code === 4 || code === 5) {
    const advice =
      peer.user === undefined
        ? 'it wants a user and a password: write init_parameters.auth'
        : `are the user ${peer.user} and the secret in init_parameters.auth right?`;
    return new Error(
      `the broker ${peer.broker} does not admit ${who(peer)} (reason code ${String(code)}): ${advice}`,
    );
  }
  return new Error(`the broker ${peer.broker}: ${messageOf(error)}`, { cause: error });
}

function refusal(error: unknown, topic: string, peer: MqttPeer): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === codes.notAuthorised) {
    return `the broker ${peer.broker} does not let ${who(peer)} publish on ${topic}: allow it in the access list of the broker`;
  }
  return `publishing on ${topic} failed: ${messageOf(error)}`;
}
