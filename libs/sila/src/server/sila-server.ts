import {
  Server,
  ServerCredentials,
  type Metadata,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { JsonObject, JsonValue } from '@lab/sdk';
import {
  metadataKey,
  packageOf,
  readFeature,
  silaService,
  silaServiceXml,
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
  type Wire,
} from '../wire/index.js';
import { ServedError, servedError } from './errors.js';
import { ServedExecutions } from './executions.js';

const uuidCodec = frameworkCodec('CommandExecutionUUID');
const confirmationCodec = frameworkCodec('CommandConfirmation');
const infoCodec = frameworkCodec('ExecutionInfo');

/** Who calls, as far as the call says. */
export interface ServedCall {
  /** Full identifier of the command or property. */
  call: string;
  /** A metadatum of the call; undefined: it was not sent. @throws ServedError when it cannot be read */
  metadatum(feature: Feature, identifier: string): Promise<JsonValue | undefined>;
}

/** A feature of our server. Its functions may throw {@link ServedError}; another error becomes an undefined one. */
export interface ServedFeature {
  xml: string;
  get(property: string, call: ServedCall): Promise<JsonValue> | JsonValue;
  run(command: string, parameters: JsonObject, call: ServedCall): Promise<JsonObject>;
  /** Full identifiers of what a metadatum affects. */
  affectedBy?(metadatum: string): string[];
}

export interface ServedIdentity {
  uuid: string;
  name: string;
  /** As in `PlateReader`. */
  type: string;
  description: string;
  version: string;
  vendorUrl: string;
}

/** Keys of TLS, as PEM; absent: no encryption. */
export interface ServedKeys {
  key: string;
  certificate: string;
}

/** A SiLA 2 server: features by their definitions, over gRPC. */
export class SilaServer {
  readonly #server = new Server({ 'grpc.max_receive_message_length': 4 * 1024 * 1024 });
  readonly #executions = new ServedExecutions();
  readonly #features: { feature: Feature; xml: string }[] = [];

  /**
   * @param guard is asked before each call of a feature except SiLAService, and throws a {@link ServedError} to refuse it
   * @throws Error when a definition is wrong
   */
  constructor(
    private readonly identity: ServedIdentity,
    features: readonly ServedFeature[],
    private readonly guard: (call: ServedCall) => Promise<void> = () => Promise.resolve(),
  ) {
    const own: ServedFeature = {
      xml: silaServiceXml,
      get: (property) => this.#ownProperty(property),
      run: (command, parameters) => Promise.resolve(this.#ownCommand(command, parameters)),
    };
    for (const each of [own, ...features]) this.#add(each);
  }

  /** Begins to listen. @param port 0: any @returns the port */
  listen(host: string, port: number, keys?: ServedKeys): Promise<number> {
    const credentials =
      keys === undefined
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [
            { private_key: Buffer.from(keys.key), cert_chain: Buffer.from(keys.certificate) },
          ]);
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(
        `${host.includes(':') ? `[${host}]` : host}:${port}`,
        credentials,
        (error, bound) => {
          if (error === null) resolve(bound);
          else reject(error);
        },
      );
    });
  }

  /** Ends all connections. */
  close(): void {
    this.#server.forceShutdown();
  }

  #add(served: ServedFeature): void {
    const feature = readFeature(served.xml);
    this.#features.push({ feature, xml: served.xml });
    const service = new ServedService(feature, served, this.#executions, async (call) => {
      if (feature.fullIdentifier !== silaService.fullIdentifier) await this.guard(call);
    });
    this.#server.addService(service.definition, service.implementation);
  }

  #ownProperty(property: string): JsonValue {
    switch (property) {
      case 'ServerUUID':
        return this.identity.uuid;
      case 'ServerName':
        return this.identity.name;
      case 'ServerType':
        return this.identity.type;
      case 'ServerDescription':
        return this.identity.description;
      case 'ServerVersion':
        return this.identity.version;
      case 'ServerVendorURL':
        return this.identity.vendorUrl;
      default:
        return this.#features.map(({ feature }) => feature.fullIdentifier);
    }
  }

  #ownCommand(command: string, parameters: JsonObject): JsonObject {
    const service = silaService.fullIdentifier;
    if (command === 'SetServerName')
      throw ServedError.undefined(
        'the name of this server is that of the device, so it cannot be changed here',
      );
    const wanted = parameters['FeatureIdentifier'];
    const found = this.#features.find(({ feature }) => feature.fullIdentifier === wanted);
    if (found === undefined) {
      const identifier = `${service}/DefinedExecutionError/UnimplementedFeature`;
      throw ServedError.defined(identifier, `this server has no feature ${String(wanted)}`);
    }
    return { FeatureDefinition: found.xml };
  }
}

type Handler = (call: ServerUnaryCall<Wire, Wire>, answer: sendUnaryData<Wire>) => void;

/** The methods of gRPC of one feature. */
class ServedService {
  readonly definition: Record<string, ReturnType<typeof methodOf>> = {};
  readonly implementation: UntypedServiceImplementation = {};
  readonly #messages: FeatureMessages;

  constructor(
    private readonly feature: Feature,
    private readonly served: ServedFeature,
    private readonly executions: ServedExecutions,
    private readonly guard: (call: ServedCall) => Promise<void>,
  ) {
    this.#messages = new FeatureMessages(feature);
    for (const property of feature.properties.values()) this.#addProperty(property);
    for (const command of feature.commands.values()) {
      if (command.observable) this.#addObservable(command);
      else this.#addCommand(command);
    }
    for (const metadatum of feature.metadata.values()) this.#addMetadatum(metadatum);
  }

  #addProperty(property: Property): void {
    const name = `${property.observable ? 'Subscribe' : 'Get'}_${property.identifier}`;
    const request = this.#messages.codec(`${name}_Parameters`, []);
    const response = this.#messages.codec(`${name}_Responses`, [property]);
    const read = async (metadata: Metadata): Promise<Wire> => {
      const call = this.#callOf(`Property/${property.identifier}`, metadata);
      await this.guard(call);
      const value = await this.served.get(property.identifier, call);
      return toMessage([property], { [property.identifier]: value }, this.feature, noCarrier);
    };
    if (!property.observable) {
      this.#unary(name, request, response, (_, metadata) => read(metadata));
      return;
    }
    // The first value is the present one. A client that wants to see changes asks again.
    this.#stream(name, request, response, async (_, metadata, stream) => {
      stream.write(await read(metadata));
    });
  }

  #addCommand(command: Command): void {
    const { request, response } = this.#codecs(command);
    this.#unary(command.identifier, request, response, async (wire, metadata) => {
      const call = this.#callOf(`Command/${command.identifier}`, metadata);
      await this.guard(call);
      return this.#run(command, await this.#parameters(command, wire), call);
    });
  }

  #addObservable(command: Command): void {
    const { request, response } = this.#codecs(command);
    const { identifier } = command;
    const full = `${this.feature.fullIdentifier}/Command/${identifier}`;
    const uuidOf = (wire: Wire): string => (wire['value'] as string | undefined) ?? '';
    this.#unary(identifier, request, confirmationCodec, async (wire, metadata) => {
      const call = this.#callOf(`Command/${identifier}`, metadata);
      await this.guard(call);
      const parameters = await this.#parameters(command, wire);
      const uuid = this.executions.begin(full, () => this.served.run(identifier, parameters, call));
      return { commandExecutionUUID: { value: uuid } };
    });
    this.#stream(`${identifier}_Info`, uuidCodec, infoCodec, async (wire, _, stream) => {
      const uuid = uuidOf(wire);
      const tell = (): void => {
        stream.write({ commandStatus: this.executions.status(full, uuid) });
      };
      if (this.executions.status(full, uuid) === 'running') tell();
      await new Promise<void>((resolve) => {
        stream.once('cancelled', resolve);
        this.executions.whenEnded(full, uuid, resolve);
      });
      tell();
    });
    this.#unary(`${identifier}_Result`, uuidCodec, response, (wire) => {
      const result = this.executions.result(full, uuidOf(wire));
      return toMessage(command.responses, result, this.feature, noCarrier);
    });
  }

  #addMetadatum({ identifier }: Element): void {
    const name = `Get_FCPAffectedByMetadata_${identifier}`;
    const calls: Element = {
      ...{ identifier: 'AffectedCalls', displayName: '', description: '' },
      type: { kind: 'list', of: { kind: 'basic', name: 'String' } },
    };
    const request = this.#messages.codec(`${name}_Parameters`, []);
    const response = this.#messages.codec(`${name}_Responses`, [calls]);
    this.#unary(name, request, response, () =>
      toMessage(
        [calls],
        { AffectedCalls: this.served.affectedBy?.(identifier) ?? [] },
        this.feature,
        noCarrier,
      ),
    );
  }

  async #run(command: Command, parameters: JsonObject, call: ServedCall): Promise<Wire> {
    const result = await this.served.run(command.identifier, parameters, call);
    return toMessage(command.responses, result, this.feature, noCarrier);
  }

  async #parameters(command: Command, wire: Wire): Promise<JsonObject> {
    for (const { identifier } of command.parameters) {
      const full = `${this.feature.fullIdentifier}/Command/${command.identifier}/Parameter/${identifier}`;
      // A list without elements is absent on the wire.
      const isList = command.parameters.find((each) => each.identifier === identifier)?.type.kind === 'list';
      if (wire[identifier] === undefined && !isList)
        throw ServedError.validation(full, `${identifier} is missing`);
    }
    return fromMessage(command.parameters, wire, this.feature, noCarrier);
  }

  #codecs({ identifier, parameters, responses }: Command) {
    return {
      request: this.#messages.codec(`${identifier}_Parameters`, parameters),
      response: this.#messages.codec(`${identifier}_Responses`, responses),
    };
  }

  #callOf(part: string, metadata: Metadata): ServedCall {
    return {
      call: `${this.feature.fullIdentifier}/${part}`,
      metadatum: async (feature, identifier) => {
        const element = feature.metadata.get(identifier);
        const [bytes] = metadata.get(metadataKey(feature, identifier));
        if (element === undefined || bytes === undefined) return undefined;
        try {
          const codec = new FeatureMessages(feature).codec(`Metadata_${identifier}`, [element]);
          return (await fromMessage([element], codec.decode(bytes as Buffer), feature, noCarrier))[
            identifier
          ];
        } catch {
          throw ServedError.framework('INVALID_METADATA', `the metadata ${identifier} cannot be read`);
        }
      },
    };
  }

  #unary(
    name: string,
    request: Codec,
    response: Codec,
    answer: (wire: Wire, metadata: Metadata) => Promise<Wire>,
  ): void {
    this.definition[name] = methodOf(this.feature, name, request, response, false);
    const handler: Handler = (call, send) => {
      Promise.resolve()
        .then(() => answer(call.request, call.metadata))
        .then(
          (wire) => send(null, wire),
          (error: unknown) => send(servedError(error).status),
        );
    };
    this.implementation[name] = handler;
  }

  #stream(
    name: string,
    request: Codec,
    response: Codec,
    answer: (wire: Wire, metadata: Metadata, stream: ServerWritableStream<Wire, Wire>) => Promise<void>,
  ): void {
    this.definition[name] = methodOf(this.feature, name, request, response, true);
    this.implementation[name] = (stream: ServerWritableStream<Wire, Wire>) => {
      answer(stream.request, stream.metadata, stream).then(
        () => stream.end(),
        (error: unknown) => stream.destroy(Object.assign(new Error('refused'), servedError(error).status)),
      );
    };
  }
}

function methodOf(feature: Feature, name: string, request: Codec, response: Codec, responseStream: boolean) {
  return {
    path: `/${packageOf(feature)}.${feature.identifier}/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: (value: Wire) => request.encode(value),
    requestDeserialize: (bytes: Buffer) => request.decode(bytes),
    responseSerialize: (value: Wire) => response.encode(value),
    responseDeserialize: (bytes: Buffer) => response.decode(bytes),
  };
}
