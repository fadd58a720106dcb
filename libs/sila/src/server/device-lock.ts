import type { JsonObject, JsonValue } from '@lab/sdk';
import { readFeature, type Feature } from '../feature/index.js';
import { ServedError } from './errors.js';
import type { ServedCall, ServedFeature } from './sila-server.js';
import {
  basicXml,
  commandXml,
  constrainedXml,
  elementXml,
  errorXml,
  featureXml,
  metadataXml,
  propertyXml,
} from './xml.js';

/** How the service keeps a device for one owner. */
export interface Reservations {
  /** The task that has the device; null: none. */
  heldBy(): Promise<string | null>;
  /** Keeps tasks away from the device. @returns the id of the reservation @throws Error when it is reserved already */
  reserve(seconds: number): Promise<string>;
  end(id: string): Promise<void>;
}

const string = basicXml('String');
const errors = {
  ServerAlreadyLocked: 'The server is locked already.',
  ServerNotLocked: 'The server is not locked.',
  InvalidLockIdentifier: 'The lock has another identifier.',
};
const identifierField = elementXml(
  {
    identifier: 'LockIdentifier',
    name: 'Lock Identifier',
    description: 'A text that only the owner of the lock knows.',
  },
  string,
);
const seconds =
  '<Unit><Label>s</Label><Factor>1</Factor><Offset>0</Offset><UnitComponent><SIUnit>Second</SIUnit><Exponent>1</Exponent>' +
  '</UnitComponent></Unit><MinimalInclusive>0</MinimalInclusive>';

const lockXml = featureXml(
  {
    identifier: 'LockController',
    name: 'Lock Controller',
    description: 'Keeps the device for one client. Tasks of the laboratory wait meanwhile.',
  },
  { originator: 'org.silastandard', category: 'core', version: '2.0' },
  [
    commandXml(
      { identifier: 'LockServer', name: 'Lock Server', description: 'Locks the server.' },
      false,
      [
        identifierField,
        elementXml(
          {
            identifier: 'Timeout',
            name: 'Timeout',
            description: 'Seconds without use after which the lock ends.',
          },
          constrainedXml(basicXml('Integer'), seconds),
        ),
      ],
      [],
      ['ServerAlreadyLocked'],
    ),
    commandXml(
      { identifier: 'UnlockServer', name: 'Unlock Server', description: 'Frees the server.' },
      false,
      [identifierField],
      [],
      ['ServerNotLocked', 'InvalidLockIdentifier'],
    ),
    propertyXml(
      {
        identifier: 'IsLocked',
        name: 'Is Locked',
        description: 'Whether a client or a task has the device.',
      },
      true,
      basicXml('Boolean'),
    ),
    metadataXml(
      {
        identifier: 'LockIdentifier',
        name: 'Lock Identifier',
        description: 'Shows that a call comes from the owner of the lock.',
      },
      string,
      ['InvalidLockIdentifier'],
    ),
    ...Object.entries(errors).map(([identifier, description]) =>
      errorXml({ identifier, name: identifier, description }),
    ),
  ],
);

/** Longest time of a lock in seconds. A lock without a limit ends then as well. */
const longestS = 86_400;
/** How much longer than the lock a reservation lasts, in seconds. */
const marginS = 60;

interface Held {
  identifier: string;
  timeoutS: number;
  usedAt: number;
  reservation: string;
  /** When the reservation ends, by the monotonic clock in milliseconds. */
  until: number;
}

/**
 * The lock of a device that is offered to clients of SiLA. A lock is a reservation of the device in the service, so no task starts on it. A
 * device that a task has is locked.
 */
export class DeviceLock implements ServedFeature {
  readonly xml = lockXml;
  readonly #feature: Feature = readFeature(lockXml);
  #held: Held | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param protects full identifier of the feature of the device */
  constructor(
    private readonly reservations: Reservations,
    private readonly protects: string,
  ) {}

  affectedBy(): string[] {
    return [this.protects];
  }

  async get(): Promise<JsonValue> {
    return this.#held !== undefined || (await this.reservations.heldBy()) !== null;
  }

  run(command: string, parameters: JsonObject): Promise<JsonObject> {
    const identifier = String(parameters['LockIdentifier']);
    return this.#inTurn(async () => {
      if (command === 'LockServer') await this.#lock(identifier, Number(parameters['Timeout']));
      else await this.#unlock(identifier);
      return {};
    });
  }

  /** Refuses a call of the device by anybody but the owner of the lock. @throws ServedError */
  async guard(call: ServedCall): Promise<void> {
    if (!call.call.startsWith(`${this.protects}/`)) return;
    const given = await call.metadatum(this.#feature, 'LockIdentifier');
    const held = this.#held;
    if (held === undefined) return;
    if (given === undefined)
      throw ServedError.framework(
        'INVALID_METADATA',
        'the server is locked, and the call has no LockIdentifier',
      );
    if (given !== held.identifier) throw this.#error('InvalidLockIdentifier');
    held.usedAt = performance.now();
    this.#watch();
  }

  /** Frees the lock because the server ends. */
  async close(): Promise<void> {
    await this.#inTurn(() => this.#free());
  }

  async #lock(identifier: string, timeout: number): Promise<void> {
    if (this.#held !== undefined) throw this.#error('ServerAlreadyLocked');
    const timeoutS = timeout === 0 ? longestS : Math.min(timeout, longestS);
    const reservation = await this.reservations.reserve(timeoutS + marginS).catch((error: unknown) => {
      throw this.#error('ServerAlreadyLocked', error instanceof Error ? error.message : String(error));
    });
    // From here on no task starts. One that has the device already goes on.
    const task = await this.reservations.heldBy().catch(() => 'a task that cannot be asked about');
    if (task !== null) {
      await this.reservations.end(reservation);
      throw this.#error('ServerAlreadyLocked', `${task} has the device`);
    }
    const now = performance.now();
    this.#held = {
      identifier,
      timeoutS,
      usedAt: now,
      reservation,
      until: now + (timeoutS + marginS) * 1_000,
    };
    this.#watch();
  }

  async #unlock(identifier: string): Promise<void> {
    if (this.#held === undefined) throw this.#error('ServerNotLocked');
    if (this.#held.identifier !== identifier) throw this.#error('InvalidLockIdentifier');
    await this.#free();
  }

  async #free(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    clearTimeout(this.#timer);
    if (held !== undefined) await this.reservations.end(held.reservation);
  }

  /** Ends the lock when it was not used for its time, and renews the reservation of one that is used. */
  #watch(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    if (held === undefined) return;
    const over = held.usedAt + held.timeoutS * 1_000;
    const wait = Math.max(Math.min(over, held.until - 1_000) - performance.now(), 0);
    this.#timer = setTimeout(() => {
      this.#inTurn(async () => {
        if (this.#held !== held) return;
        if (performance.now() >= held.usedAt + held.timeoutS * 1_000) await this.#free();
        else await this.#extend(held);
      }).catch(() => undefined);
    }, wait);
  }

  async #extend(held: Held): Promise<void> {
    const lasts = held.timeoutS + marginS;
    await this.reservations.end(held.reservation);
    held.reservation = await this.reservations.reserve(lasts);
    held.until = performance.now() + lasts * 1_000;
    this.#watch();
  }

  #error(identifier: keyof typeof errors, why: string = errors[identifier]): ServedError {
    return ServedError.defined(`${this.#feature.fullIdentifier}/DefinedExecutionError/${identifier}`, why);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
