import {
  defaultDeviceTimeoutS,
  deviceTimeoutMs,
  ServiceError,
  type DeviceFunction,
  type Fault,
  type JsonObject,
} from '@lab/contracts';

/**
 * Checks the arguments of a call against the declaration of the function. A function that declares no parameters accepts
 * any arguments.
 *
 * @returns the arguments with the defaults of those that were left out, and all faults; the path of a fault begins with
 *   `arguments`
 */
export type CheckArguments = (
  declared: DeviceFunction,
  given: JsonObject,
) => { values: JsonObject; faults: Fault[] };

/** A call that fits what the device declares. */
export interface FittingCall {
  declared: DeviceFunction;
  /** With the defaults of what was not given. */
  values: JsonObject;
  /** How long it may take from its begin, in milliseconds. */
  runMs: number;
}

/** What a device says that it can do, and whether a call fits that. */
export class DeclaredFunctions {
  readonly #label: string;
  readonly #check: CheckArguments;
  readonly #functions = new Map<string, DeviceFunction>();

  /** @param label `<lab>.<device>` */
  constructor(label: string, check: CheckArguments) {
    this.#label = label;
    this.#check = check;
  }

  get all(): DeviceFunction[] {
    return [...this.#functions.values()];
  }

  /** @param timeoutS of those that declare none, in seconds */
  replace(functions: readonly DeviceFunction[], timeoutS: number): void {
    this.#functions.clear();
    for (const declared of functions) this.#functions.set(declared.name, withTimeout(declared, timeoutS));
  }

  /** @throws ServiceError `unknown_function` */
  find(name: string): DeviceFunction {
    const declared = this.#functions.get(name);
    if (declared !== undefined) return declared;
    const known = [...this.#functions.keys()].join(', ') || 'none';
    throw new ServiceError(
      'unknown_function',
      `device ${this.#label} has no function '${name}'; it has: ${known}`,
    );
  }

  /** @throws ServiceError `invalid` with every fault of the arguments */
  fit(declared: DeviceFunction, given: JsonObject): FittingCall {
    const { values, faults } = this.#check(declared, given);
    if (faults.length > 0) throw this.#misused(declared.name, faults);
    return { declared, values, runMs: deviceTimeoutMs(declared) };
  }

  /** The text has it all as well: faults do not reach the code of a task. */
  #misused(name: string, faults: Fault[]): ServiceError {
    const told = faults.slice(0, toldFaults).map(({ path, message }) => `${path}: ${message}`);
    const more = faults.length > toldFaults ? `; and ${faults.length - toldFaults} more` : '';
    const text = `${name} of device ${this.#label} was not called: ${told.join('; ')}${more}`;
    return new ServiceError('invalid', text, { faults });
  }
}

/** Faults that the text of an error names. */
const toldFaults = 5;

/** The function with the time that it has here; the default is not spelled out. */
function withTimeout({ timeout_s, ...declared }: DeviceFunction, settingS: number): DeviceFunction {
  const seconds = timeout_s ?? settingS;
  return seconds === defaultDeviceTimeoutS ? declared : { ...declared, timeout_s: seconds };
}
