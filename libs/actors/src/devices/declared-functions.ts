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

/** A call that fits the declaration of its function. */
export interface FittingCall {
  declared: DeviceFunction;
  /** With the defaults of arguments that were left out. */
  values: JsonObject;
  /** How long the call may take from its beginning, in milliseconds. */
  runMs: number;
}

/** The functions that a device declares. */
export class DeclaredFunctions {
  readonly #functions = new Map<string, DeviceFunction>();

  /** @param label `<lab>.<device>` */
  constructor(
    private readonly label: string,
    private readonly check: CheckArguments,
  ) {}

  get all(): DeviceFunction[] {
    return [...this.#functions.values()];
  }

  /** @param timeoutS timeout of functions that declare none, in seconds */
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
      `device ${this.label} has no function '${name}'; it has: ${known}`,
    );
  }

  /** Checks a call and fills in defaults. @throws ServiceError `invalid` with every fault of the arguments */
  fit(declared: DeviceFunction, given: JsonObject): FittingCall {
    const { values, faults } = this.check(declared, given);
    if (faults.length > 0) throw this.#misused(declared.name, faults);
    return { declared, values, runMs: deviceTimeoutMs(declared) };
  }

  /** The message lists the faults as well, because the code of a task gets only the message. */
  #misused(name: string, faults: Fault[]): ServiceError {
    const listed = faults.slice(0, listedFaults).map(({ path, message }) => `${path}: ${message}`);
    const more = faults.length > listedFaults ? `; and ${faults.length - listedFaults} more` : '';
    const text = `${name} of device ${this.label} was not called: ${listed.join('; ')}${more}`;
    return new ServiceError('invalid', text, { faults });
  }
}

/** Faults that an error message lists at most. */
const listedFaults = 5;

/** Adds the timeout that applies to the function here, unless it is the default of the contracts. */
function withTimeout({ timeout_s, ...declared }: DeviceFunction, settingS: number): DeviceFunction {
  const seconds = timeout_s ?? settingS;
  return seconds === defaultDeviceTimeoutS ? declared : { ...declared, timeout_s: seconds };
}
