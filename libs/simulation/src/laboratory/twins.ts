import {
  ServiceError,
  type JsonObject,
  type JsonValue,
  type SimulatedCall,
  type TaskStart,
} from '@lab/contracts';
import type { LabDefinition } from '@lab/definitions/model';
import { DeviceTwin, fill } from '@lab/instruments/twins';

/** What the calls of an attempt amount to. */
export interface TwinCourse {
  ms: number;
  /** Output parameters that calls give. */
  outputs: JsonObject;
}

/**
 * The twins of the devices of a simulation. Their state outlasts the attempts that change it: a bath that an earlier task has warmed
 * needs less time for the next one.
 */
export class Twins {
  readonly #twins = new Map<string, DeviceTwin | undefined>();

  /** @param now start of the simulation, in milliseconds */
  constructor(
    private readonly labs: readonly LabDefinition[],
    private readonly now: number,
  ) {}

  /**
   * Makes the calls of an attempt, one after the other.
   *
   * @param calls each with its index in the scenario
   * @param now milliseconds
   * @throws ServiceError `invalid` that names the call and what is wrong
   */
  course(
    calls: readonly { call: SimulatedCall; index: number }[],
    { devices, parameters }: Pick<TaskStart, 'devices' | 'parameters'>,
    now: number,
  ): TwinCourse {
    const outputs: JsonObject = {};
    let time = now / 1_000;
    for (const { call, index } of calls) {
      const wrong = (field: string, message: string): ServiceError =>
        new ServiceError('invalid', 'The scenario is not valid.', {
          faults: [{ path: `calls[${index}].${field}`, code: 'invalid', message }],
        });
      const binding = Object.hasOwn(devices, call.device) ? devices[call.device] : undefined;
      if (binding === undefined) {
        const known = Object.keys(devices).join(', ') || 'none';
        throw wrong('device', `${call.task} has no device ${call.device}; it has ${known}`);
      }
      const twin = this.#twinOf(binding.lab, binding.name);
      const name = `${binding.lab}.${binding.name}`;
      if (twin?.functions.includes(call.function) !== true) {
        const known = twin?.functions.join(', ') ?? '';
        throw wrong(
          'function',
          `the init parameters of ${name} declare no function ${call.function}; they declare ${known || 'none'}`,
        );
      }
      const given = (fill(call.arguments ?? {}, parameters) ?? {}) as JsonObject;
      const { end, result } = twin.call(call.function, given, time);
      time = end;
      for (const [state, wanted] of Object.entries(call.until ?? {})) {
        const value = fill(wanted, parameters) as JsonValue;
        const reached = twin.whenReached(state, value, time);
        if (reached === undefined)
          throw wrong(
            `until.${state}`,
            `${name} never reaches ${state} ${JSON.stringify(value)} after this call`,
          );
        time = reached;
      }
      if (call.output !== undefined) outputs[call.output] = result;
    }
    return { ms: Math.round(time * 1_000 - now), outputs };
  }

  #twinOf(lab: string, name: string): DeviceTwin | undefined {
    const key = `${lab}.${name}`;
    if (!this.#twins.has(key)) {
      const device = this.labs.find((each) => each.name === lab)?.devices[name];
      const twin = device && DeviceTwin.of(device.init_parameters, this.now / 1_000);
      this.#twins.set(key, twin);
    }
    return this.#twins.get(key);
  }
}
