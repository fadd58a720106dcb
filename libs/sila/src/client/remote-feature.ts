import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '@lab/sdk';
import {
  metadataKey,
  packageOf,
  type Command,
  type Element,
  type Feature,
  type Property,
} from '../feature/index.js';
import {
  FeatureMessages,
  frameworkCodec,
  fromMessage,
  noCarrier,
  toMessage,
  type Codec,
} from '../wire/index.js';
import { binaryCarrier } from './binaries.js';
import type { CallContext, CallLimits, Channel, Method } from './channel.js';
import { SilaConnectionError } from './errors.js';

const uuidCodec = frameworkCodec('CommandExecutionUUID');
const confirmationCodec = frameworkCodec('CommandConfirmation');
const infoCodec = frameworkCodec('ExecutionInfo');

/** Time of a question that a server answers from what it knows. */
const askMs = 10_000;

/** How far the execution of an observable command is. */
export interface ExecutionState {
  status: 'waiting' | 'running' | 'finishedSuccessfully' | 'finishedWithError';
  /** From 0 to 1; absent: the server does not say. */
  progress?: number;
  /** Seconds; absent: the server does not say. */
  remaining?: number;
}

/** One feature of one server. Its methods throw {@link SilaError} and {@link SilaConnectionError}. */
export class RemoteFeature {
  readonly #messages: FeatureMessages;

  /** @throws Error when the definition is contradictory */
  constructor(
    readonly feature: Feature,
    private readonly channel: Channel,
  ) {
    this.#messages = new FeatureMessages(feature);
  }

  /** The value of a property. */
  async get(property: Property, limits: CallLimits = {}): Promise<JsonValue> {
    if (property.observable) {
      for await (const value of this.subscribe(property, limits)) return value;
      throw new SilaConnectionError('OUT_OF_RANGE', `${this.channel.label} sent no ${property.identifier}`);
    }
    const method = this.#propertyMethod('Get', property);
    const wire = await this.channel.unary(method, {}, limits);
    const value = await fromMessage([property], wire, this.feature, this.#carrier(limits.context));
    return value[property.identifier] ?? null;
  }

  /** The values of an observable property, the present one first. */
  async *subscribe(property: Property, limits: CallLimits = {}): AsyncGenerator<JsonValue, void, void> {
    const method = this.#propertyMethod('Subscribe', property);
    for await (const wire of this.channel.stream(method, {}, limits)) {
      const value = await fromMessage([property], wire, this.feature, this.#carrier(limits.context));
      yield value[property.identifier] ?? null;
    }
  }

  /**
   * Runs a command that is not observable, to its end.
   *
   * @throws TypeError when an argument does not fit
   */
  async run(command: Command, given: JsonObject, limits: CallLimits = {}): Promise<JsonObject> {
    const message = await this.encode(command, given, limits.context);
    const wire = await this.channel.unary(
      this.#method(command.identifier, this.#parameters(command), this.#responses(command)),
      message,
      limits,
    );
    return fromMessage(command.responses, wire, this.feature, this.#carrier(limits.context));
  }

  /** Checks arguments and uploads large binaries: everything before the command itself. @throws TypeError */
  async encode(command: Command, given: JsonObject, context?: CallContext) {
    return toMessage(command.parameters, given, this.feature, this.#carrier(context, command));
  }

  /**
   * Begins an observable command.
   *
   * @returns the UUID of the execution
   */
  async begin(command: Command, given: JsonObject, limits: CallLimits = {}): Promise<string> {
    const message = await this.encode(command, given, limits.context);
    const wire = await this.channel.unary(
      this.#method(command.identifier, this.#parameters(command), confirmationCodec),
      message,
      limits,
    );
    const uuid = (wire['commandExecutionUUID'] as { value?: string } | undefined)?.value ?? '';
    if (uuid === '')
      throw new SilaConnectionError(
        'DATA_LOSS',
        `${this.channel.label} named no execution of ${command.identifier}`,
      );
    return uuid;
  }

  /** How far an execution is, until it has ended. */
  async *states(
    command: Command,
    uuid: string,
    signal?: AbortSignal,
  ): AsyncGenerator<ExecutionState, void, void> {
    const method = this.#method(`${command.identifier}_Info`, uuidCodec, infoCodec);
    for await (const wire of this.channel.stream(method, { value: uuid }, { signal })) {
      const progress = (wire['progressInfo'] as { value?: number } | undefined)?.value;
      const left = wire['estimatedRemainingTime'] as { seconds?: string; nanos?: number } | undefined;
      yield {
        // The first status is the default, which the wire leaves out.
        status: (wire['commandStatus'] as ExecutionState['status'] | undefined) ?? 'waiting',
        ...(progress === undefined ? {} : { progress }),
        ...(left === undefined ? {} : { remaining: Number(left.seconds ?? 0) + (left.nanos ?? 0) / 1e9 }),
      };
    }
  }

  /** The intermediate responses of an execution, while it runs. */
  async *intermediate(
    command: Command,
    uuid: string,
    signal?: AbortSignal,
  ): AsyncGenerator<JsonObject, void, void> {
    const codec = this.#messages.codec(`${command.identifier}_IntermediateResponses`, command.intermediate);
    const method = this.#method(`${command.identifier}_Intermediate`, uuidCodec, codec);
    for await (const wire of this.channel.stream(method, { value: uuid }, { signal }))
      yield await fromMessage(command.intermediate, wire, this.feature, this.#carrier());
  }

  /** The result of an execution that has ended. @throws SilaError also the error with which it ended */
  async result(command: Command, uuid: string): Promise<JsonObject> {
    const method = this.#method(`${command.identifier}_Result`, uuidCodec, this.#responses(command));
    const wire = await this.channel.unary(method, { value: uuid }, { withinMs: askMs });
    return fromMessage(command.responses, wire, this.feature, this.#carrier());
  }

  /**
   * Waits for the end of an execution. A broken connection is restored: the UUID identifies the execution.
   *
   * @param patienceMs how long the server may be away, in milliseconds
   * @throws SilaConnectionError when the server was away for longer
   */
  async follow(
    command: Command,
    uuid: string,
    patienceMs: number,
    signal?: AbortSignal,
  ): Promise<JsonObject> {
    let lostAt: number | undefined;
    for (;;) {
      try {
        for await (const { status } of this.states(command, uuid, signal)) {
          lostAt = undefined;
          if (status.startsWith('finished')) break;
        }
        return await this.result(command, uuid);
      } catch (error) {
        if (!(error instanceof SilaConnectionError) || signal?.aborted === true) throw error;
        lostAt ??= performance.now();
        if (performance.now() - lostAt > patienceMs) throw error;
      }
      await pause(500, undefined, { signal });
    }
  }

  /** The full identifiers of the calls that a metadatum of this feature affects. */
  async affectedBy(metadatum: string, limits: CallLimits = { withinMs: askMs }): Promise<string[]> {
    const name = `Get_FCPAffectedByMetadata_${metadatum}`;
    const calls: Element = {
      ...{ identifier: 'AffectedCalls', displayName: '', description: '' },
      type: { kind: 'list', of: { kind: 'basic', name: 'String' } },
    };
    const method = this.#method(
      name,
      this.#messages.codec(`${name}_Parameters`, []),
      this.#messages.codec(`${name}_Responses`, [calls]),
    );
    const wire = await this.channel.unary(method, {}, limits);
    return (await fromMessage([calls], wire, this.feature, noCarrier))['AffectedCalls'] as string[];
  }

  /** Metadata of this feature for a call. @throws TypeError when the value does not fit */
  async context(metadatum: Element, value: JsonValue): Promise<CallContext> {
    const { identifier } = metadatum;
    const message = await toMessage([metadatum], { [identifier]: value }, this.feature, noCarrier);
    const bytes = this.#messages.codec(`Metadata_${identifier}`, [metadatum]).encode(message);
    return { [metadataKey(this.feature, identifier)]: bytes };
  }

  /** As in `org.silastandard/core/LockController/v1/Command/LockServer`. */
  identifierOf(part: Command | Property): string {
    const kind = 'parameters' in part ? 'Command' : 'Property';
    return `${this.feature.fullIdentifier}/${kind}/${part.identifier}`;
  }

  #carrier(context: CallContext = {}, command?: Command) {
    return binaryCarrier(this.channel, context, (path) => {
      const parameter = /^[A-Za-z0-9]*/.exec(path)?.[0] ?? '';
      return `${this.feature.fullIdentifier}/Command/${command?.identifier ?? ''}/Parameter/${parameter}`;
    });
  }

  #parameters(command: Command): Codec {
    return this.#messages.codec(`${command.identifier}_Parameters`, command.parameters);
  }

  #responses(command: Command): Codec {
    return this.#messages.codec(`${command.identifier}_Responses`, command.responses);
  }

  #propertyMethod(verb: 'Get' | 'Subscribe', property: Property): Method {
    const name = `${verb}_${property.identifier}`;
    return this.#method(
      name,
      this.#messages.codec(`${name}_Parameters`, []),
      this.#messages.codec(`${name}_Responses`, [property]),
    );
  }

  #method(name: string, request: Codec, response: Codec): Method {
    return { path: `/${packageOf(this.feature)}.${this.feature.identifier}/${name}`, request, response };
  }
}
