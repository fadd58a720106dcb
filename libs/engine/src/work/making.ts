import type { JsonObject } from '@lab/contracts';
import { dynamicParameters, type ProtocolSnapshot } from '@lab/definitions/model';
import type { OptimizerMaking } from '../rows/index.js';
import { protocolText } from './protocol-text.js';

/** What a worker needs to make the optimizer of a protocol; undefined: the protocol has none. */
export function makingOf(snapshot: ProtocolSnapshot, overrides: JsonObject): OptimizerMaking | undefined {
  const { optimizer: module } = snapshot.protocol;
  if (module === undefined) return undefined;
  const integers = dynamicParameters(snapshot).flatMap(({ task, parameter, spec }) =>
    spec.type === 'int' ? [`${task}.${parameter}`] : [],
  );
  return { protocol: protocolText(snapshot), integers, module, overrides };
}
