import type { JsonValue } from '@lab/sdk';
import type { CallContext, SilaClient } from '../client/index.js';

interface Constant {
  /** Full identifiers of the features and calls that it affects. */
  affected: readonly string[];
  context: CallContext;
}

/** Metadata that the lab sets once for all calls that they affect. */
export class Metadata {
  static readonly none = new Metadata([]);

  private constructor(private readonly constants: readonly Constant[]) {}

  /**
   * @param given values by `<Feature>/<Metadata>`, as in `SampleService/SampleId`
   * @throws TypeError when the server has no such metadata, or the value does not fit
   */
  static async of(client: SilaClient, given: Readonly<Record<string, JsonValue>>): Promise<Metadata> {
    const constants = Object.entries(given).map(async ([name, value]): Promise<Constant> => {
      const slash = name.lastIndexOf('/');
      const remote = client.find(name.slice(0, Math.max(slash, 0)));
      const metadatum = remote?.feature.metadata.get(name.slice(slash + 1));
      if (remote === undefined || metadatum === undefined)
        throw new TypeError(`init_parameters.metadata.${name}: ${client.label} has no such metadata`);
      return {
        affected: await remote.affectedBy(metadatum.identifier),
        context: await remote.context(metadatum, value),
      };
    });
    return new Metadata(await Promise.all(constants));
  }

  /** What a call sends along. */
  context(call: string): CallContext {
    const affecting = this.constants.filter(({ affected }) =>
      affected.some((each) => call === each || call.startsWith(`${each}/`)),
    );
    return Object.assign({}, ...affecting.map(({ context }) => context)) as CallContext;
  }
}
