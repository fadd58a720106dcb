import { readFeature, silaService } from '../feature/index.js';
import type { Channel } from './channel.js';
import { Connection } from './connection.js';
import { UntrustedServer } from './errors.js';
import { RemoteFeature } from './remote-feature.js';
import type { Trust } from './trust.js';
import type { Address } from '../network/index.js';

const withinMs = 10_000;
/** Largest number of features that are read. */
const mostFeatures = 500;

/** Who a server is, as it says itself. */
export interface ServerIdentity {
  uuid: string;
  name: string;
  type: string;
  description: string;
  version: string;
  vendorUrl: string;
}

/** A client of one SiLA server. It learns the features of the server when it connects. */
export class SilaClient {
  private constructor(
    private readonly channel: Channel,
    readonly server: ServerIdentity,
    /** By their full identifiers. */
    readonly features: ReadonlyMap<string, RemoteFeature>,
  ) {}

  /**
   * Connects to a server and reads its feature definitions.
   *
   * @param uuid of the expected server; absent: any
   * @throws UntrustedServer, SilaConnectionError; Error when another server answers, or a definition cannot be read
   */
  static async connect(address: Address, trust: Trust, uuid?: string): Promise<SilaClient> {
    return SilaClient.over(await Connection.open(address, trust), uuid);
  }

  /** The same over an open channel, which is closed if the server is not the right one. */
  static async over(channel: Channel, uuid?: string): Promise<SilaClient> {
    try {
      const service = new RemoteFeature(silaService, channel);
      const server = await identityOf(service);
      if (uuid !== undefined && server.uuid.toLowerCase() !== uuid.toLowerCase()) {
        throw new UntrustedServer(
          '',
          `${channel.label} is ${server.name} with the UUID ${server.uuid}, not the server ${uuid}`,
        );
      }
      return new SilaClient(channel, server, await featuresOf(service, channel));
    } catch (error) {
      channel.close();
      throw error;
    }
  }

  get address(): Address {
    return this.channel.address;
  }

  /** The server, for people. */
  get label(): string {
    return `SiLA server ${this.server.name} at ${this.address.host}:${this.address.port}`;
  }

  /**
   * A feature by its identifier, as in `LockController`, or its full one.
   *
   * @throws Error that names those of the server
   */
  feature(identifier: string): RemoteFeature {
    const found = this.find(identifier);
    if (found !== undefined) return found;
    const known = [...this.features.values()].map(({ feature }) => feature.identifier).join(', ');
    throw new Error(`${this.label} has no feature ${identifier}; it has: ${known}`);
  }

  find(identifier: string): RemoteFeature | undefined {
    const full = this.features.get(identifier);
    if (full !== undefined) return full;
    return [...this.features.values()].find(({ feature }) => feature.identifier === identifier);
  }

  /** Asks whether the server answers. @throws SilaConnectionError, UntrustedServer */
  async ping(): Promise<void> {
    const uuid = property('ServerUUID');
    try {
      await new RemoteFeature(silaService, this.channel).get(uuid, { withinMs });
    } catch (error) {
      throw await this.channel.explain(error);
    }
  }

  close(): void {
    this.channel.close();
  }
}

function property(identifier: string) {
  const found = silaService.properties.get(identifier);
  if (found === undefined) throw new Error(`SiLAService has no property ${identifier}`);
  return found;
}

async function identityOf(service: RemoteFeature): Promise<ServerIdentity> {
  const text = async (name: string): Promise<string> => {
    const value = await service.get(property(name), { withinMs });
    return typeof value === 'string' ? value : '';
  };
  const uuid = await text('ServerUUID');
  const [name, type, description, version, vendorUrl] = await Promise.all(
    ['ServerName', 'ServerType', 'ServerDescription', 'ServerVersion', 'ServerVendorURL'].map(text),
  );
  return {
    uuid,
    name: name ?? '',
    type: type ?? '',
    description: description ?? '',
    version: version ?? '',
    vendorUrl: vendorUrl ?? '',
  };
}

async function featuresOf(service: RemoteFeature, channel: Channel): Promise<Map<string, RemoteFeature>> {
  const command = silaService.commands.get('GetFeatureDefinition');
  if (command === undefined) throw new Error('SiLAService has no command GetFeatureDefinition');
  const identifiers = (await service.get(property('ImplementedFeatures'), { withinMs })) as string[];
  if (identifiers.length > mostFeatures)
    throw new Error(`${channel.label} has ${identifiers.length} features: at most ${mostFeatures} are read`);
  const features = new Map<string, RemoteFeature>();
  for (const FeatureIdentifier of identifiers) {
    const { FeatureDefinition } = await service.run(command, { FeatureIdentifier }, { withinMs });
    const feature = readFeature(String(FeatureDefinition));
    features.set(feature.fullIdentifier, new RemoteFeature(feature, channel));
  }
  return features;
}
