import type { JsonObject } from '@lab/sdk';

/** A request, an answer or an event in the terms of one protocol. This form is recorded and replayed. */
export type Message = JsonObject;

/** Why a request is made. */
export interface Purpose {
  /** Name of the device function; null: identification, report or another act of the device itself. */
  name: string | null;
  /** The arguments of the function. */
  given: JsonObject;
  /** Aborts with the error that the request fails with. */
  signal: AbortSignal;
}

/** The way to one instrument: a connection, a twin or a recording. */
export interface Port {
  /**
   * Sends a request once, and waits for its answer.
   *
   * @throws NotBegun only if nothing left this computer; ExchangeError
   */
  exchange(request: Message, purpose: Purpose): Promise<Message>;
  /** Ends the connection. Open exchanges fail. */
  close(): Promise<void>;
}

/** What a port reports by itself. */
export interface PortEvents {
  heard(event: Message): void;
  /** The connection is lost. Open exchanges have failed or fail now. A port reports it at most once, and never after `close`. */
  lost(reason: Error): void;
}

/** @throws NotBegun that says why there is no connection and what to do */
export type OpenPort = (events: PortEvents, signal: AbortSignal) => Promise<Port>;

/**
 * Makes requests of a call.
 *
 * @param of the function that the request belongs to, if it is not that of the call
 */
export type Ask = (request: Message, of?: Pick<Purpose, 'name' | 'given'>) => Promise<Message>;
