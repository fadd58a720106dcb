import type { Codec, Wire } from '../wire/index.js';
import type { Address } from '../network/index.js';

/** Metadata of a call: encoded values by the keys of gRPC. */
export type CallContext = Readonly<Record<string, Buffer>>;

export interface CallLimits {
  context?: CallContext | undefined;
  /** Milliseconds after which the call fails; absent: it takes as long as it takes. */
  withinMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** One method of a service. */
export interface Method {
  /** As in `/sila2.org.silastandard.core.silaservice.v1.SILAService/Get_ServerUUID`. */
  path: string;
  request: Codec;
  response: Codec;
}

/**
 * The way to one server: gRPC, or a recording in its place. Its methods throw SilaError and SilaConnectionError, and the reason of a
 * signal.
 */
export interface Channel {
  readonly address: Address;
  /** The server, for people. */
  readonly label: string;
  unary(method: Method, message: Wire, limits?: CallLimits): Promise<Wire>;
  /** A stream of answers. Leaving the loop ends the stream. */
  stream(method: Method, message: Wire, limits?: CallLimits): AsyncGenerator<Wire, void, void>;
  /** Sends requests of one method, each after the answer to the one before. @returns the answers */
  converse(method: Method, requests: readonly Wire[]): Promise<Wire[]>;
  /** Why a call failed, if more can be found out than its error says. */
  explain(error: unknown): Promise<unknown>;
  close(): void;
}
