import type { JsonObject, JsonValue } from '@lab/sdk';
import {
  SilaConnectionError,
  type CallContext,
  type RemoteFeature,
  type SilaClient,
} from '../client/index.js';
import type { Element } from '../feature/index.js';

/** The parameter of a function with metadata of its call. Identifiers of SiLA begin with a capital letter, so none is equal. */
export const metadataParameter = 'metadata';

interface Known {
  remote: RemoteFeature;
  metadatum: Element;
  /** Full identifiers of the features and calls that it affects. */
  affected: readonly string[];
  /** What the lab gives for all calls. */
  constant: CallContext | undefined;
}

/** Features whose metadata a call cannot give: the device itself sends locks, and a token would stand in the record of the call. */
const notOfCalls: readonly string[] = ['LockController', 'AuthorizationService'];

/** The metadata of a server: values that calls send along, from the lab for all calls, or from a call for itself. */
export class Metadata {
  static readonly none = new Metadata(new Map());

  private constructor(private readonly known: ReadonlyMap<string, Known>) {}

  /**
   * @param given values by `<Feature>/<Metadata>`, as in `SampleService/SampleId`
   * @throws TypeError when the server has no such metadata, or the value does not fit
   */
  static async of(client: SilaClient, given: Readonly<Record<string, JsonValue>>): Promise<Metadata> {
    const known = new Map<string, Known>();
    for (const remote of client.features.values()) {
      for (const metadatum of remote.feature.metadata.values()) {
        const affected = await remote.affectedBy(metadatum.identifier).catch((error: unknown) => {
          if (error instanceof SilaConnectionError && error.code === 'UNIMPLEMENTED') return [];
          throw error;
        });
        const name = `${remote.feature.identifier}/${metadatum.identifier}`;
        known.set(name, { remote, metadatum, affected, constant: undefined });
      }
    }
    for (const [name, value] of Object.entries(given)) {
      const found = known.get(name);
      if (found === undefined) {
        const names = [...known.keys()].join(', ') || 'none';
        throw new TypeError(
          `init_parameters.metadata.${name}: ${client.label} has no such metadata; it has: ${names}`,
        );
      }
      found.constant = await found.remote.context(found.metadatum, value);
    }
    return new Metadata(known);
  }

  /** The names of the metadata that a call may give, as in `SampleService/SampleId`. */
  namesFor(call: string): string[] {
    return [...this.known].flatMap(([name, { remote, affected }]) =>
      isAffected(call, affected) && !notOfCalls.includes(remote.feature.identifier) ? [name] : [],
    );
  }

  /**
   * What a call sends along.
   *
   * @param own values that the call gives itself, by name; they come before those of the lab
   * @throws TypeError when a value does not fit, or does not affect the call
   */
  async context(call: string, own: JsonObject = {}): Promise<CallContext> {
    const names = this.namesFor(call);
    const wrong = Object.keys(own).find((name) => !names.includes(name));
    if (wrong !== undefined)
      throw new TypeError(
        `${metadataParameter}.${wrong}: the call takes no such metadata; it takes: ${names.join(', ') || 'none'}`,
      );
    const affecting = [...this.known].filter(([, { affected }]) => isAffected(call, affected));
    const contexts = affecting.map(([name, { remote, metadatum, constant = {} }]) => {
      const value = own[name];
      return value === undefined ? constant : remote.context(metadatum, value);
    });
    return Object.assign({}, ...(await Promise.all(contexts))) as CallContext;
  }
}

function isAffected(call: string, affected: readonly string[]): boolean {
  return affected.some((each) => call === each || call.startsWith(`${each}/`));
}
