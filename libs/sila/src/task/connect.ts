import type { JsonObject, JsonValue } from '@lab/sdk';
import type { LockTerms } from '../device/index.js';

/** A function of a device, as a task calls it. */
type Call = (parameters: JsonObject) => Promise<JsonValue>;

/** A SiLA server in the code of a task. Every call is a call of the device, so the service records it. */
export class SilaSession {
  #isOpen = true;

  /** @internal */
  constructor(
    private readonly device: { readonly name: string; readonly lab: string },
    /** False: the server cannot be locked, or the task does not want it. */
    readonly isLocked: boolean,
  ) {}

  /**
   * Runs a command to its end.
   *
   * @param parameters by their identifiers
   * @param metadata that this call sends along, by `<Feature>/<Metadata>`; it comes before that of the lab
   * @returns the responses by their identifiers
   * @throws DeviceError
   */
  async run(
    feature: string,
    command: string,
    parameters: JsonObject = {},
    metadata?: JsonObject,
  ): Promise<JsonObject> {
    return (await this.#call(`${feature}_${command}`, withMetadata(parameters, metadata))) as JsonObject;
  }

  /** The value of a property. @param metadata as for {@link run} @throws DeviceError */
  get(feature: string, property: string, metadata?: JsonObject): Promise<JsonValue> {
    return this.#call(`${feature}_${property}`, withMetadata({}, metadata));
  }

  /** Frees the lock before the task ends. Without this the end of the task frees it. @throws DeviceError */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.isLocked) await callOf(this.device, 'unlock')({});
  }

  #call(name: string, parameters: JsonObject): Promise<JsonValue> {
    if (!this.#isOpen) throw new Error(`the session with ${this.device.lab}.${this.device.name} is closed`);
    return callOf(this.device, name)(parameters);
  }
}

/**
 * Opens a session with the SiLA server of a device, and locks the server for the task.
 *
 * ```ts
 * const reader = await connect(devices.reader, { lock_timeout: 120, lock_retry_delay: 1, lock_max_retries: 300 });
 * const { Absorbance } = await reader.run('PlateReader', 'Read', { Wavelength: 450 });
 * ```
 *
 * @param device handle of a device whose class extends `SilaDevice`
 * @param terms what is left out has the value of the device: 60 s, and 120 tries each 0.5 s while another client has the lock;
 *   `lock_timeout: null`: calls of this task do not lock the server
 * @throws DeviceError when another client has the lock for longer
 */
export async function connect(
  device: { readonly name: string; readonly lab: string },
  terms: Partial<LockTerms> = {},
): Promise<SilaSession> {
  const given = Object.entries(terms).flatMap(([name, value]): [string, number][] =>
    value === undefined ? [] : [[name, value ?? 0]],
  );
  const { locked } = (await callOf(device, 'lock')(Object.fromEntries(given))) as { locked: boolean };
  return new SilaSession(device, locked);
}

function withMetadata(parameters: JsonObject, metadata: JsonObject | undefined): JsonObject {
  return metadata === undefined ? parameters : { ...parameters, metadata };
}

function callOf(device: object, name: string): Call {
  // The functions of the device are known only while it runs, so its type has none of them.
  return (device as Readonly<Record<string, Call>>)[name] as Call;
}
