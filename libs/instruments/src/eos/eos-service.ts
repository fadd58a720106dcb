import { z } from 'zod';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { askJson, literalOf, PeerError, type Link, type PythonParameter } from '../nodes/index.js';

const told = z.record(
  z.string(),
  z.object({
    name: z.string(),
    docstring: z.string().default(''),
    parameters: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        required: z.boolean(),
        /** The default as Python prints it. */
        default: z.string().nullish(),
      }),
    ),
  }),
);

export interface EosFunction {
  description: string;
  parameters: PythonParameter[];
}

/** Where the loaded devices are: by laboratory and device. */
const loaded = z.record(z.string(), z.record(z.string(), z.object({ type: z.string() })));

/**
 * A device of a running EOS, over its REST API.
 * Source: `eos/web_api` and `eos/devices/base_device.py` of github.com/UNC-Robotics/eos, 0.26.0.
 */
export class EosService {
  constructor(
    private readonly link: Link,
    private readonly lab: string,
    private readonly device: string,
  ) {}

  /** @returns the type of the device @throws Error when EOS has no such device */
  async deviceType(): Promise<string> {
    const read = loaded.safeParse(await askJson(this.link, { method: 'GET', path: '/api/labs/devices' }));
    if (!read.success) throw new PeerError('the answer to /api/labs/devices is not that of EOS', true);
    const type = read.data[this.lab]?.[this.device]?.type;
    if (type !== undefined) return type;
    const all = Object.entries(read.data).flatMap(([lab, devices]) =>
      Object.keys(devices).map((name) => `${lab}.${name}`),
    );
    throw new Error(
      `EOS has not loaded the device ${this.lab}.${this.device} of init_parameters: it has ${all.sort().join(', ') || 'none'}`,
    );
  }

  /** @returns undefined when this EOS cannot tell */
  async functions(): Promise<Record<string, EosFunction> | undefined> {
    let answer: unknown;
    try {
      answer = await this.call('get_available_functions', {});
    } catch (error) {
      if (error instanceof PeerError && error.status !== undefined) return undefined;
      throw error;
    }
    const read = told.safeParse(answer);
    if (!read.success) return undefined;
    return Object.fromEntries(
      Object.entries(read.data).map(([name, { docstring, parameters }]) => [
        name,
        {
          description: docstring.split('\n\n')[0] ?? '',
          parameters: parameters.map((each) => ({
            name: each.name,
            type: each.type,
            required: each.required,
            default: each.default == null ? undefined : defaultOf(each.type, each.default),
          })),
        },
      ]),
    );
  }

  /** Calls a function. The exchange lasts as long as the function. @param withinMs undefined: the setting of the link */
  async call(name: string, given: JsonObject, withinMs?: number): Promise<JsonValue> {
    const path = `/api/rpc/${[this.lab, this.device, name].map(encodeURIComponent).join('/')}`;
    const value = await askJson(this.link, {
      method: 'POST',
      path,
      json: given,
      ...(withinMs === undefined ? {} : { withinMs }),
    });
    return value === undefined ? null : (value as JsonValue);
  }

  async report(): Promise<JsonValue> {
    const path = `/api/labs/${encodeURIComponent(this.lab)}/device/${encodeURIComponent(this.device)}/report`;
    return ((await askJson(this.link, { method: 'GET', path })) as JsonValue | undefined) ?? null;
  }
}

/** EOS tells a default by `str()`, so that a text has no quotes. */
function defaultOf(type: string, text: string): JsonValue | undefined {
  return type === 'str' ? text : literalOf(text);
}
