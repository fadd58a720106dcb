import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '@lab/sdk';
import {
  excerpt,
  MessageDevice,
  readSecret,
  readTls,
  unitsOf,
  valueAt,
  withoutEmpty,
  type Ask,
  type FunctionPlan,
  type Protocol,
  type Surroundings,
} from '../messages/index.js';
import { readSettings } from '../settings/index.js';
import { carryOut, messageOf } from './command.js';
import { mqttPort, type MqttPeer } from './mqtt-port.js';
import { mqttTwin } from './mqtt-twin.js';
import { mqttSettings, type MqttSettings } from './settings.js';
import { States } from './states.js';

/** Milliseconds that the retained message of the identity may take. */
const retainedMs = 5_000;
/** The same for that of the presence, which an instrument that is not there need not have. */
const presenceMs = 1_000;

/**
 * An instrument behind a broker of MQTT 5. Its functions are messages that `init_parameters` declares. `docs/guide/mqtt.md` describes the
 * init parameters.
 *
 * ```ts
 * import { MqttDevice } from '@lab/instruments/mqtt';
 *
 * export default class Bath extends MqttDevice {}
 * ```
 */
export class MqttDevice extends MessageDevice {
  protected override async protocol(parameters: JsonObject, around: Surroundings): Promise<Protocol> {
    const settings = readSettings(mqttSettings, withoutEmpty(parameters));
    checkStates(settings);
    const states = new States(settings.state);
    const isReal = !settings.simulate && settings.replay === undefined;
    const peer = isReal ? await peerOf(settings, states, around) : null;
    const plans = plansOf(settings, states);
    let identity: JsonValue | undefined;
    return {
      settings,
      peer: settings.url,
      open: (events, signal) => {
        states.forget();
        identity = undefined;
        if (peer === null) throw new Error('there is no connection');
        return mqttPort(peer)(events, signal);
      },
      openTwin: mqttTwin(settings),
      verify: async (ask) => {
        const { birth } = settings;
        if (settings.identity !== undefined) await identify(settings, () => identity);
        if (settings.presence !== undefined) await known(states, settings.presence.state);
        if (birth !== undefined) await ask(messageOf(birth, 1, {}));
      },
      functions: () => plans,
      heard: ({ topic, payload = null, retain }) => {
        if (topic === settings.identity?.topic) identity = payload;
        if (typeof topic === 'string') states.heard(topic, payload, retain === true);
      },
      report: () => Promise.resolve(states.report()),
    };
  }
}

async function peerOf(settings: MqttSettings, states: States, around: Surroundings): Promise<MqttPeer> {
  const url = new URL(settings.url);
  const isTls = url.protocol === 'mqtts:';
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(
      'init_parameters.url: user and password do not stand in the address: write init_parameters.auth',
    );
  }
  if (!isTls && settings.tls !== undefined) {
    throw new TypeError(
      'init_parameters.tls: the url begins with mqtt://, so there is no TLS: write mqtts://',
    );
  }
  const { auth, identity, will } = settings;
  const password =
    auth?.password === undefined
      ? undefined
      : await readSecret(auth.password, 'init_parameters.auth.password');
  if (password !== undefined) around.mask.add(password);
  const clientId = settings.client_id ?? around.name;
  const asks = Object.values(settings.functions).some((entry) => 'publish' in entry && entry.request);
  return {
    target: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port === '' ? (isTls ? 8883 : 1883) : url.port),
      tls: isTls ? await readTls(settings.tls ?? {}) : null,
    },
    broker: url.host,
    clientId,
    user: auth?.user,
    password,
    keepalive: settings.keepalive,
    will: will === undefined ? undefined : messageOf(will, 1, {}),
    topics: [...new Set([...states.topics, ...(identity === undefined ? [] : [identity.topic])])],
    responseTopic: asks ? (settings.response_topic ?? `svc/${clientId}/answers`) : null,
    callId: around.callId,
  };
}

function plansOf(settings: MqttSettings, states: States): Record<string, FunctionPlan> {
  return Object.fromEntries(
    Object.entries(settings.functions).map(([name, entry]): [string, FunctionPlan] => {
      if (!('publish' in entry)) {
        const { desc = '', kind } = entry;
        const units = unitsOf(settings.state[entry.state]);
        const read = async (): Promise<JsonValue> => states.read(entry.state);
        return [name, { kind, parameters: {}, desc: `${desc} ${units}`.trim(), carryOut: read }];
      }
      const { desc = '', parameters, timeout, kind = 'effect' } = entry;
      return [
        name,
        {
          ...{ kind, parameters },
          desc: `${desc} ${unitsOf(entry.answer)}`.trim(),
          ...(timeout === undefined ? {} : { timeout }),
          carryOut: (given: JsonObject, ask: Ask, signal: AbortSignal) =>
            carryOut({ ...entry, kind }, settings.presence, states, given, ask, signal),
        },
      ];
    }),
  );
}

/** @throws TypeError when a state is named that is not declared */
function checkStates({ state, presence, functions }: MqttSettings): void {
  const check = (name: string | undefined, where: string): void => {
    if (name === undefined || name in state) return;
    const known = Object.keys(state).join(', ') || 'none';
    throw new TypeError(`init_parameters.${where}: there is no state ${name}; declared are ${known}`);
  };
  check(presence?.state, 'presence.state');
  for (const [name, entry] of Object.entries(functions)) {
    if (!('publish' in entry)) check(entry.state, `functions.${name}.state`);
    else {
      check(entry.until?.state, `functions.${name}.until.state`);
      check(entry.unless?.state, `functions.${name}.unless.state`);
    }
  }
}

/** Waits a moment for a retained message, so that the first call does not come too early. */
async function known(states: States, name: string): Promise<void> {
  for (let waited = 0; states.raw(name) === undefined && waited < presenceMs; waited += 20) await pause(20);
}

/** @throws Error when the retained message is another one, or does not come */
async function identify({ identity, url }: MqttSettings, heard: () => JsonValue | undefined): Promise<void> {
  if (identity === undefined) return;
  for (let waited = 0; heard() === undefined; waited += 50) {
    if (waited >= retainedMs) {
      throw new Error(
        `no retained message came on ${identity.topic} at ${url} within ${retainedMs / 1000} s, so the instrument is not recognised. Is it on, and may this user read the topic?`,
      );
    }
    await pause(50);
  }
  const found = valueAt(heard(), identity.value);
  if (JSON.stringify(found) === JSON.stringify(identity.equals)) return;
  throw new Error(
    `the instrument at ${url} is not the one that init_parameters.identity names: ${identity.topic} says ` +
      `${excerpt(found ?? null)} instead of ${excerpt(identity.equals as JsonValue)}`,
  );
}
