import { readFile } from 'node:fs/promises';
import { NotBegun, type JsonObject, type JsonValue } from '@lab/sdk';
import { messageOf } from '../errors/index.js';
import {
  excerpt,
  MessageDevice,
  readSecret,
  readTls,
  valueAt,
  withoutEmpty,
  type Ask,
  type Mask,
  type Protocol,
  type Surroundings,
} from '../messages/index.js';
import { readSettings } from '../settings/index.js';
import { download, httpPort, type HttpAnswer, type HttpPeer } from './http-port.js';
import { httpTwin } from './http-twin.js';
import { pinnedDocument } from './openapi.js';
import type { Base } from './operation.js';
import { plansOf, type HttpPlan } from './plan.js';
import { httpSettings, type HttpSettings } from './settings.js';

/**
 * An instrument with an interface of HTTP and JSON. Its functions are requests that `init_parameters` declares, or the operations of its
 * OpenAPI document. `docs/guide/http-devices.md` describes the init parameters.
 *
 * ```ts
 * import { HttpDevice } from '@lab/instruments/http';
 *
 * export default class Reader extends HttpDevice {}
 * ```
 */
export class HttpDevice extends MessageDevice {
  /** The OpenAPI document, of a package that has it in a file: `import document from './openapi.json' with { type: 'json' }`. */
  static readonly openapi: object | null = null;

  protected override async protocol(parameters: JsonObject, around: Surroundings): Promise<Protocol> {
    const settings = readSettings(httpSettings, withoutEmpty(parameters));
    const url = new URL(settings.url);
    const base: Base = { origin: url.origin, path: url.pathname.replace(/\/$/, '') };
    const isReal = !settings.simulate && settings.replay === undefined;
    const peer = isReal ? await peerOf(settings, url, around.mask) : null;
    const own = (this.constructor as typeof HttpDevice).openapi as JsonObject | null;
    const document = own ?? (await documentOf(settings, base, peer));
    const plans = plansOf(settings, document, base, around.callId, (message) => around.log.warn(message));
    checkReport(settings, plans);
    return {
      settings,
      peer: settings.url,
      open: peer === null ? () => Promise.reject(new Error('there is no connection')) : httpPort(peer),
      openTwin: httpTwin(settings, base.path, () => plans),
      verify: (ask) => identify(settings, base, ask),
      functions: () => plans,
      heard: () => undefined,
      report: (ask) => reportOf(settings, plans, ask),
    };
  }
}

async function peerOf(settings: HttpSettings, url: URL, mask: Mask): Promise<HttpPeer> {
  const isTls = url.protocol === 'https:';
  if (!isTls && settings.tls !== undefined) {
    throw new TypeError(
      'init_parameters.tls: the url begins with http://, so there is no TLS: write https://',
    );
  }
  return {
    target: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port === '' ? (isTls ? 443 : 80) : url.port),
      tls: isTls ? await readTls(settings.tls ?? {}) : null,
    },
    authority: url.host,
    headers: await authHeaders(settings.auth, mask),
    requestTimeout: settings.request_timeout,
  };
}

async function authHeaders(auth: HttpSettings['auth'], mask: Mask): Promise<Record<string, string>> {
  if (auth === undefined) return {};
  const secret = async (source: Parameters<typeof readSecret>[0], what: string): Promise<string> => {
    const value = await readSecret(source, `init_parameters.auth.${what}`);
    mask.add(value);
    return value;
  };
  if ('bearer' in auth) return { Authorization: `Bearer ${await secret(auth.bearer, 'bearer')}` };
  if ('header' in auth) return { [auth.header]: await secret(auth.value, 'value') };
  const pair = Buffer.from(`${auth.user}:${await secret(auth.password, 'password')}`).toString('base64');
  mask.add(pair);
  return { Authorization: `Basic ${pair}` };
}

/** @param peer null: no server may be asked */
async function documentOf(
  { openapi }: HttpSettings,
  base: Base,
  peer: HttpPeer | null,
): Promise<JsonObject | null> {
  if (openapi === undefined) return null;
  const { file, url = '', sha256 } = openapi;
  const where = file ?? url;
  let text: string;
  try {
    if (file !== undefined) text = await readFile(file, 'utf8');
    else if (peer === null)
      throw new Error(
        'without the instrument there is no server to ask: save the document, and name its file',
      );
    else text = await textAt(new URL(url), base, peer);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
    throw new Error(`init_parameters.openapi: cannot read ${where}: ${messageOf(error)}${cause}`, {
      cause: error,
    });
  }
  return pinnedDocument(text, sha256, where);
}

/** The secrets of the instrument go to the instrument only. */
async function textAt(url: URL, base: Base, peer: HttpPeer): Promise<string> {
  const signal = AbortSignal.timeout(15_000);
  if (url.origin === base.origin) return download(peer, `${url.pathname}${url.search}`, signal);
  const answer = await fetch(url, { redirect: 'error', signal });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.text();
}

/** @throws Error when the peer is another one than `identity` says */
async function identify({ identity, url }: HttpSettings, base: Base, ask: Ask): Promise<void> {
  if (identity === undefined) return;
  const answer = (await ask({ method: 'GET', path: `${base.path}${identity.path}` })) as HttpAnswer;
  const found = answer.status === 200 ? valueAt(answer.body, identity.value) : undefined;
  if (JSON.stringify(found) === JSON.stringify(identity.equals)) return;
  throw new NotBegun(
    `the peer at ${url} is not the one that init_parameters.identity names: ${identity.path} answers ${answer.status}, ` +
      `with ${excerpt(found ?? answer.body)} instead of ${excerpt(identity.equals as JsonValue)}`,
  );
}

function checkReport({ report }: HttpSettings, plans: Readonly<Record<string, HttpPlan>>): void {
  for (const name of report) {
    const plan = plans[name];
    if (plan?.kind === 'query') continue;
    throw new TypeError(
      `init_parameters.report: ${name} is ${plan === undefined ? 'no function' : 'no query'}; people may look at any time, so only queries can be shown`,
    );
  }
}

async function reportOf(
  { report }: HttpSettings,
  plans: Readonly<Record<string, HttpPlan>>,
  ask: Ask,
): Promise<JsonObject> {
  const values: JsonObject = {};
  const troubles: JsonObject = {};
  for (const name of report) {
    const given = {};
    try {
      const asked: Ask = (request) => ask(request, { name, given });
      values[name] = (await plans[name]?.carryOut(given, asked, AbortSignal.timeout(8_000))) ?? null;
    } catch (error) {
      values[name] = null;
      troubles[name] = messageOf(error);
    }
  }
  return Object.keys(troubles).length === 0 ? values : { ...values, troubles };
}
