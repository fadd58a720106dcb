import type { JsonObject, JsonValue } from '@lab/sdk';
import {
  excerpt,
  MessageDevice,
  readSecret,
  withoutEmpty,
  type Ask,
  type FunctionPlan,
  type Protocol,
  type Surroundings,
} from '../messages/index.js';
import { readSettings } from '../settings/index.js';
import { planOf, readValue, request, variable } from './functions.js';
import type { Sample } from './messages.js';
import { opcuaPort, type OpcuaPeer } from './opcua-port.js';
import { opcuaTwin } from './opcua-twin.js';
import { Samples } from './samples.js';
import { opcuaSettings, type OpcuaSettings } from './settings.js';

/**
 * An instrument with a server of OPC UA. Its functions read, write and call the nodes that `init_parameters` names, with the types of the
 * server. `docs/guide/opcua.md` describes the init parameters.
 *
 * ```ts
 * import { OpcuaDevice } from '@lab/instruments/opcua';
 *
 * export default class Reactor extends OpcuaDevice {}
 * ```
 */
export class OpcuaDevice extends MessageDevice {
  protected override async protocol(parameters: JsonObject, around: Surroundings): Promise<Protocol> {
    const settings = readSettings(opcuaSettings, withoutEmpty(parameters));
    checkMode(settings);
    const isReal = !settings.simulate && settings.replay === undefined;
    const peer = isReal ? await peerOf(settings, around) : null;
    const samples = new Samples();
    let plans: Record<string, FunctionPlan> = {};
    return {
      settings,
      peer: settings.url,
      open: (events, signal) => {
        samples.forget();
        if (peer === null) throw new Error('there is no connection');
        return opcuaPort(peer)(events, signal);
      },
      openTwin: opcuaTwin(settings),
      verify: async (ask) => {
        await identify(settings, ask);
        plans = await readFunctions(settings, ask);
        await watch(settings, samples, ask);
      },
      functions: () => plans,
      heard: (event) => samples.heard(event as Sample),
      report: () => Promise.resolve(samples.report()),
    };
  }
}

async function peerOf(settings: OpcuaSettings, around: Surroundings): Promise<OpcuaPeer> {
  const { url, security, server_certificate: pinned, user } = settings;
  const peer: OpcuaPeer = {
    ...{ url, pinned, policy: security.policy, log: around.log, name: around.name, folder: around.folder },
    mode: security.mode ?? (security.policy === 'None' ? 'None' : 'SignAndEncrypt'),
    user: undefined,
  };
  if (user === undefined) return peer;
  if ('certificate' in user) return { ...peer, user };
  const password = await readSecret(user.password, 'init_parameters.user.password');
  around.mask.add(password);
  return { ...peer, user: { name: user.name, password } };
}

/** @throws TypeError when policy and mode do not fit */
function checkMode({ security: { policy, mode } }: OpcuaSettings): void {
  if (mode === undefined || (policy === 'None') === (mode === 'None')) return;
  throw new TypeError(
    `init_parameters.security: the policy ${policy} does not go with the mode ${mode}: None goes with None, Basic256Sha256 with Sign or SignAndEncrypt`,
  );
}

async function readFunctions(settings: OpcuaSettings, ask: Ask): Promise<Record<string, FunctionPlan>> {
  const plans: Record<string, FunctionPlan> = {};
  for (const [name, entry] of Object.entries(settings.functions)) {
    plans[name] = await planOf(`init_parameters.functions.${name}`, entry, ask);
  }
  return plans;
}

async function watch({ report }: OpcuaSettings, samples: Samples, ask: Ask): Promise<void> {
  for (const [name, { node: path, unit, interval }] of Object.entries(report)) {
    const { node, value } = await variable(`init_parameters.report.${name}`, path, ask);
    samples.watch(name, { node, unit, description: value });
    await request<object>(ask, { ask: 'watch', node, interval });
  }
}

/** @throws Error when the server is another one */
async function identify({ identity, url }: OpcuaSettings, ask: Ask): Promise<void> {
  if (identity === undefined) return;
  const { node, value } = await variable('init_parameters.identity', identity.read, ask);
  const found = await readValue(node, value, ask);
  if (JSON.stringify(found) === JSON.stringify(identity.equals)) return;
  throw new Error(
    `the server at ${url} is not the one that init_parameters.identity names: ${identity.read} is ` +
      `${excerpt(found)} instead of ${excerpt(identity.equals as JsonValue)}`,
  );
}
