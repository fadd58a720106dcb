import { Client, Metadata, type CallOptions, type ClientOptions, type ServiceError } from '@grpc/grpc-js';
import { isIP } from 'node:net';
import type { Wire } from '../wire/index.js';
import type { CallContext, CallLimits, Channel, Method } from './channel.js';
import { errorOfBinary, errorOfCall } from './errors.js';
import { credentialsFor, showsOther, type Trust } from './trust.js';
import type { Address } from '../network/index.js';

/** A message may be as large as a binary that travels inside, with room. */
const largestMessage = 16 * 1024 * 1024;

const options: ClientOptions = {
  // An effect is never sent again by itself.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.max_receive_message_length': largestMessage,
  'grpc.max_send_message_length': largestMessage,
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.min_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 5_000,
  // Servers of another process at the same address must not share a connection.
  'grpc.use_local_subchannel_pool': 1,
};

/** A connection to one server. gRPC restores it when it breaks. */
export class Connection implements Channel {
  private constructor(
    private readonly client: Client,
    readonly address: Address,
    private readonly trust: Trust,
  ) {}

  /** @throws UntrustedServer, SilaConnectionError */
  static async open(address: Address, trust: Trust): Promise<Connection> {
    const credentials = await credentialsFor(address, trust);
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    // With a pinned certificate its name does not count, and an IP address is no name for TLS.
    const named =
      trust.fingerprint !== undefined && isIP(address.host) !== 0
        ? { ...options, 'grpc.ssl_target_name_override': 'sila2' }
        : options;
    return new Connection(new Client(`${host}:${address.port}`, credentials, named), address, trust);
  }

  get label(): string {
    return `the SiLA server at ${this.address.host}:${this.address.port}`;
  }

  /** @throws SilaError, SilaConnectionError; the reason of the signal */
  unary(method: Method, message: Wire, limits: CallLimits = {}): Promise<Wire> {
    const { path, request, response } = method;
    return new Promise((resolve, reject) => {
      const call = this.client.makeUnaryRequest<Wire, Wire>(
        path,
        (value) => request.encode(value),
        (bytes) => response.decode(bytes),
        message,
        metadataOf(limits.context),
        optionsOf(limits),
        (error, value) => {
          limits.signal?.removeEventListener('abort', cancel);
          if (error === null && value !== undefined) resolve(value);
          else if (limits.signal?.aborted === true) reject(limits.signal.reason as Error);
          else reject(errorOfCall(error as ServiceError, this.label));
        },
      );
      const cancel = (): void => call.cancel();
      limits.signal?.addEventListener('abort', cancel);
      if (limits.signal?.aborted === true) cancel();
    });
  }

  /**
   * A stream of answers. Leaving the loop ends the stream.
   *
   * @throws SilaError, SilaConnectionError; the reason of the signal
   */
  async *stream(method: Method, message: Wire, limits: CallLimits = {}): AsyncGenerator<Wire, void, void> {
    const { path, request, response } = method;
    const stream = this.client.makeServerStreamRequest<Wire, Wire>(
      path,
      (value) => request.encode(value),
      (bytes) => response.decode(bytes),
      message,
      metadataOf(limits.context),
      optionsOf(limits),
    );
    const cancel = (): void => stream.cancel();
    limits.signal?.addEventListener('abort', cancel);
    if (limits.signal?.aborted === true) cancel();
    try {
      for await (const value of stream) yield value as Wire;
    } catch (error) {
      if (limits.signal?.aborted === true) throw limits.signal.reason;
      throw errorOfCall(error as ServiceError, this.label);
    } finally {
      limits.signal?.removeEventListener('abort', cancel);
      stream.on('error', () => undefined);
      stream.cancel();
    }
  }

  /** @throws SilaError, SilaConnectionError; Error when the server ends the stream early */
  converse({ path, request, response }: Method, requests: readonly Wire[]): Promise<Wire[]> {
    return new Promise((resolve, reject) => {
      const answers: Wire[] = [];
      const stream = this.client.makeBidiStreamRequest<Wire, Wire>(
        path,
        (value) => request.encode(value),
        (bytes) => response.decode(bytes),
        new Metadata(),
        {},
      );
      const next = (): void => {
        const message = requests[answers.length];
        if (message === undefined) stream.end();
        else stream.write(message);
      };
      stream.on('data', (answer: Wire) => {
        answers.push(answer);
        next();
      });
      stream.on('error', (error: ServiceError) => reject(errorOfBinary(error, this.label)));
      stream.on('end', () => {
        if (answers.length === requests.length) resolve(answers);
        else
          reject(
            new Error(
              `${this.label} ended a binary transfer after ${answers.length} of ${requests.length} chunks`,
            ),
          );
      });
      next();
    });
  }

  /** gRPC says only that the handshake failed. */
  async explain(error: unknown): Promise<unknown> {
    return (await showsOther(this.address, this.trust)) ?? error;
  }

  close(): void {
    this.client.close();
  }
}

function metadataOf(context: CallContext = {}): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(context)) metadata.set(key, value);
  return metadata;
}

function optionsOf({ withinMs }: CallLimits): CallOptions {
  return withinMs === undefined ? {} : { deadline: Date.now() + withinMs };
}
