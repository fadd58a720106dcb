import type { JsonObject, TaskParameters } from '@lab/contracts';
import { dynamicParameters, type ProtocolSnapshot } from '@lab/definitions/model';
import type { CampaignRow, OptimizerMaking } from '../rows/index.js';
import { protocolText } from './protocol-text.js';

/**
 * What a worker needs to make the optimizer of a protocol.
 *
 * @param campaign its values are in the description for the AI; absent: the optimizer is not asked for proposals
 * @returns undefined: the protocol has no optimizer
 */
export function makingOf(
  snapshot: ProtocolSnapshot,
  overrides: JsonObject,
  campaign?: CampaignRow,
): OptimizerMaking | undefined {
  const { optimizer: module } = snapshot.protocol;
  if (module === undefined) return undefined;
  const integers = dynamicParameters(snapshot).flatMap(({ task, parameter, spec }) =>
    spec.type === 'int' ? [`${task}.${parameter}`] : [],
  );
  const given = campaign === undefined ? {} : givenValues(campaign);
  return { protocol: protocolText(snapshot, given), integers, module, overrides };
}

/** The global parameters without those that the optimizer proposes. */
function givenValues({ globalParameters, optimizer }: CampaignRow): TaskParameters {
  const proposed = new Set(optimizer?.input_names);
  return Object.fromEntries(
    Object.entries(globalParameters).map(([task, values]) => [
      task,
      Object.fromEntries(Object.entries(values).filter(([name]) => !proposed.has(`${task}.${name}`))),
    ]),
  );
}
