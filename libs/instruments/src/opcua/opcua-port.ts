import { NotBegun, type JsonObject } from '@lab/sdk';
import {
  AttributeIds,
  coerceNodeId,
  DataValue,
  TimestampsToReturn,
  type ClientSubscription,
} from 'node-opcua-client';
import { ExchangeError, failure, messageOf } from '../errors/index.js';
import { type OpenPort, type Port, type PortEvents, type Purpose } from '../messages/index.js';
import { abortable, connect, type Connection, type OpcuaPeer } from './connection.js';
import type { OpcuaRequest, Sample } from './messages.js';
import { describeNode, findNode } from './nodes.js';
import { toJson, toVariant, variantToJson } from './variants.js';

export type { OpcuaPeer };

/** Opens a session on a server of OPC UA. */
export function opcuaPort(peer: OpcuaPeer): OpenPort {
  return async (events, signal) => new OpcuaPort(peer, await connect(peer, signal), events);
}

class OpcuaPort implements Port {
  readonly #ended = new AbortController();
  #subscription: ClientSubscription | null = null;

  constructor(
    private readonly peer: OpcuaPeer,
    private readonly connection: Connection,
    private readonly events: PortEvents,
  ) {
    const { client, session } = connection;
    const lost = (why: string): void => this.#lose(why);
    client.on('connection_lost', () => lost('the connection is lost'));
    client.on('abort', () => lost('the server ended the connection'));
    client.on('close', () => lost('the connection was closed'));
    session.on('session_closed', () => lost('the server closed the session'));
    session.on('keepalive_failure', () => lost('the server gives no sign of life'));
  }

  async exchange(request: JsonObject, { signal }: Purpose): Promise<JsonObject> {
    for (const { aborted, reason } of [this.#ended.signal, signal]) {
      if (aborted) throw new NotBegun(messageOf(reason));
    }
    const asked = request as unknown as OpcuaRequest;
    // Reading types and making structures precedes the request itself.
    const both = AbortSignal.any([signal, this.#ended.signal]);
    const sent = { left: false };
    try {
      return (await abortable(this.#carryOut(asked, sent), both)) as JsonObject;
    } catch (error) {
      const reason: unknown = both.aborted ? both.reason : error;
      const isRead = asked.ask !== 'write' && asked.ask !== 'call';
      throw failure(messageOf(reason), isRead || sent.left, { cause: error });
    }
  }

  async close(): Promise<void> {
    const wasOpen = !this.#ended.signal.aborted;
    this.#ended.abort(new ExchangeError('the connection was closed'));
    const { client, session } = this.connection;
    const ending = async (): Promise<void> => {
      if (wasOpen) await session.close(true);
      await client.disconnect();
    };
    await abortable(ending(), AbortSignal.timeout(2_000)).catch((error: unknown) => {
      this.peer.log.debug(`${this.peer.url}: ${messageOf(error)}`);
    });
  }

  async #carryOut(request: OpcuaRequest, sent: { left: boolean }): Promise<object> {
    const { session } = this.connection;
    switch (request.ask) {
      case 'find':
        return findNode(session, request.node);
      case 'describe':
        return describeNode(session, request.node);
      case 'read': {
        const value = await session.read({ nodeId: request.node, attributeId: AttributeIds.Value });
        return sampleOf(request.node, value);
      }
      case 'write': {
        const value = await toVariant(request.value, request.type, session);
        sent.left = true;
        const status = await session.write({
          nodeId: request.node,
          attributeId: AttributeIds.Value,
          value: new DataValue({ value }),
        });
        return { status: status.name };
      }
      case 'call': {
        const values = await Promise.all(
          request.arguments.map((each) => toVariant(each.value, each.type, session)),
        );
        sent.left = true;
        const result = await session.call({
          objectId: coerceNodeId(request.object),
          methodId: coerceNodeId(request.method),
          inputArguments: values,
        });
        const faults = (result.inputArgumentResults ?? []).map(({ name }) => name);
        return {
          status: result.statusCode.name,
          outputs: (result.outputArguments ?? []).map(variantToJson),
          ...(faults.some((name) => name !== 'Good') ? { faults } : {}),
        };
      }
      case 'watch':
        await this.#watch(request.node, request.interval);
        return {};
    }
  }

  async #watch(node: string, interval: number): Promise<void> {
    this.#subscription ??= await this.connection.session.createSubscription2({
      requestedPublishingInterval: 250,
      requestedLifetimeCount: 240,
      requestedMaxKeepAliveCount: 20,
      maxNotificationsPerPublish: 1_000,
      publishingEnabled: true,
      priority: 1,
    });
    this.#subscription.on('terminated', () => this.#lose('the server ended the subscription'));
    const item = await this.#subscription.monitor(
      { nodeId: coerceNodeId(node), attributeId: AttributeIds.Value },
      { samplingInterval: interval * 1000, queueSize: 1, discardOldest: true },
      TimestampsToReturn.Both,
    );
    item.on('changed', (value) => this.events.heard(sampleOf(node, value as DataValue)));
  }

  #lose(why: string): void {
    if (this.#ended.signal.aborted) return;
    const reason = new ExchangeError(`${this.peer.url}: ${why}`);
    this.#ended.abort(reason);
    this.events.lost(reason);
  }
}

function sampleOf(node: string, { value, statusCode, sourceTimestamp, serverTimestamp }: DataValue): Sample {
  const time = sourceTimestamp ?? serverTimestamp;
  return {
    node,
    value: value === null || value === undefined ? toJson(null) : variantToJson(value),
    status: statusCode.name,
    time: time?.toISOString() ?? null,
  };
}
