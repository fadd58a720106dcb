import type { JsonObject, JsonValue } from '@lab/sdk';
import { z } from 'zod';
import { valueAt } from './templates.js';
import { twinEntry, twinSettings, TwinState } from './twin-state.js';

/** What of the entry of a function says how long it takes and what it returns, for devices of all protocols. */
const functionOfTwin = z.looseObject({
  twin: twinEntry.optional(),
  answer: z
    .looseObject({ path: z.string().default('') })
    .optional()
    .catch(undefined),
  // Of MQTT and OPC UA: the state that it reads or writes.
  state: z.string().optional(),
  read: z.unknown().optional(),
  write: z.unknown().optional(),
  ask: z.unknown().optional(),
});

const described = z.looseObject({
  functions: z.record(z.string(), functionOfTwin),
  twin: twinSettings.nullish(),
  simulate: z
    .looseObject({
      answers: z.record(z.string(), z.json()).default({}),
      latency: z.number().min(0).default(0),
    })
    .optional()
    .catch(undefined),
});

/** A call of a twin. */
export interface TwinCall {
  /** Seconds at which it ends. */
  end: number;
  result: JsonValue;
}

/**
 * The twin of a device on a virtual clock, from its init parameters alone: how long its functions take, and what they return. It runs
 * no code of the device, so it knows only what `device.yml` and `lab.yml` say.
 */
export class DeviceTwin {
  readonly #state: TwinState;

  private constructor(
    private readonly device: z.output<typeof described>,
    now: number,
  ) {
    this.#state = new TwinState(device.twin ?? { state: {}, follow: {} }, now);
  }

  /**
   * @param parameters init parameters of the device
   * @param now seconds
   * @returns undefined when they declare no functions: then code says what the device does
   */
  static of(parameters: JsonObject, now: number): DeviceTwin | undefined {
    const { success, data } = described.safeParse(parameters);
    return success ? new DeviceTwin(data, now) : undefined;
  }

  /** The names of its functions. */
  get functions(): string[] {
    return Object.keys(this.device.functions);
  }

  /**
   * Carries a function out.
   *
   * @param now seconds at which it begins; never before the end of the call before
   * @throws RangeError when there is no such function
   */
  call(name: string, given: JsonObject, now: number): TwinCall {
    const entry = Object.hasOwn(this.device.functions, name) ? this.device.functions[name] : undefined;
    if (entry === undefined)
      throw new RangeError(`there is no function ${name}: ${this.functions.join(', ')}`);
    const { answers = {}, latency = 0 } = this.device.simulate ?? {};
    const end = now + (entry.twin?.takes ?? 0) + latency * exchangesOf(entry);
    const written = nodeName(entry.write);
    const [value] = Object.values(given);
    const arguments_ = written === undefined || value === undefined ? given : { [written]: value };
    const answer = this.#state.act(entry.twin, arguments_, end);
    if (answer !== undefined) return { end, result: valueAt(answer, entry.answer?.path ?? '') ?? null };
    const state = this.#state.at(end);
    const names = [name, entry.state, nodeName(entry.read), entry.answer?.path.split('.').at(-1)];
    const known = names.find((each) => each !== undefined && Object.hasOwn(state, each));
    return { end, result: answers[name] ?? (known === undefined ? null : (state[known] ?? null)) };
  }

  /** When a value of the state is reached, in seconds; undefined: never. */
  whenReached(name: string, value: JsonValue, now: number): number | undefined {
    return this.#state.whenReached(name, value, now);
  }
}

/** The last name in the path of a node of OPC UA, as its twin calls the value. */
function nodeName(node: unknown): string | undefined {
  return typeof node === 'string' && node.startsWith('/') ? node.split(/[/:]/).at(-1) : undefined;
}

/** Requests of a function of SCPI, of text or of Modbus, each of which takes the latency of the twin. */
function exchangesOf({ write, ask, read }: z.output<typeof functionOfTwin>): number {
  return [write, ask, read].flat().filter((each) => each !== undefined).length;
}
