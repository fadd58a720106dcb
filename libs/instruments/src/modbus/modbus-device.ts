import type { CallInDoubt, JsonObject, JsonValue, Reconciliation } from '@lab/sdk';
import { z } from 'zod';
import { commonSettings, LinkedDevice, replaySettings, type Protocol } from '../device/index.js';
import type { Exchange, Reading } from '../link/index.js';
import { functionEntry } from '../settings/index.js';
import type { Twin } from '../transport/index.js';
import { rtuEnvelope, rtuSilenceMs, tcpEnvelope, type Envelope } from './envelope.js';
import { ModbusTwin } from './modbus-twin.js';
import { echoRequest, ModbusException, readRequest, writeRequest, type Pdu } from './pdu.js';
import {
  entriesOf,
  readPoint,
  sizeOf,
  valueIn,
  writePoint,
  type ReadPoint,
  type WritePoint,
} from './values.js';

const points = z
  .union([writePoint, z.array(writePoint).min(1)])
  .transform((given) => (Array.isArray(given) ? given : [given]));

/** An entry of `functions`: points that are written, then at most one that is read. */
export const modbusEntry = functionEntry.extend({ write: points.optional(), read: readPoint.optional() });
type ModbusEntry = z.output<typeof modbusEntry>;

/** What the registers of a twin hold at first, by table and address. */
const simulation = z.strictObject({
  coil: z.record(z.string().regex(/^\d+$/), z.union([z.number(), z.boolean()])).default({}),
  discrete: z.record(z.string().regex(/^\d+$/), z.union([z.number(), z.boolean()])).default({}),
  holding: z.record(z.string().regex(/^\d+$/), z.number()).default({}),
  input: z.record(z.string().regex(/^\d+$/), z.number()).default({}),
  /** Seconds until the twin answers. */
  latency: z.number().min(0).max(3_600).default(0),
});

/** The init parameters of an instrument with Modbus. */
export const modbusSettings = z.strictObject({
  ...commonSettings,
  simulate: z.union([z.boolean(), replaySettings, simulation]).default(false),
  functions: z.record(z.string(), modbusEntry).default({}),
  /** The address of the instrument behind a gateway or on a serial line. */
  unit: z.int().min(0).max(255).default(1),
  /** `rtu` over TCP is for gateways that pass serial frames on. Default: `tcp` over TCP, `rtu` over a serial port. */
  framing: z.enum(['tcp', 'rtu']).optional(),
  /** Whether the function 8 finds the begin of the next answer after a lost one, for `rtu`. */
  echo: z.boolean().default(true),
  /** A point that shows which instrument it is. */
  identity: z.strictObject({ read: readPoint, expect: z.union([z.number(), z.boolean()]) }).optional(),
  /** A point that shows that nothing moves. */
  idle: z.strictObject({ read: readPoint, expect: z.union([z.number(), z.boolean()]) }).optional(),
  /** Constants that make the instrument safe. */
  safe_state: z.array(writePoint).default([]),
});
export type ModbusSettings = z.output<typeof modbusSettings>;

/** An instrument with Modbus TCP or Modbus RTU. All of it stands in its init parameters. */
export class ModbusDevice extends LinkedDevice<ModbusSettings> {
  #envelope: Envelope = tcpEnvelope;
  #id = 0;

  protected override schema(): z.ZodType<ModbusSettings> {
    return modbusSettings;
  }

  protected override get hasSafeState(): boolean {
    return this.settings.safe_state.length > 0;
  }

  protected override check({ functions, safe_state: safe }: ModbusSettings): void {
    for (const [name, { kind, parameters, read, write = [] }] of Object.entries(functions)) {
      const where = `init_parameters.functions.${name}`;
      if (read === undefined && write.length === 0)
        throw new TypeError(`${where}: needs read (a point) or write (points)`);
      if (kind === 'query' && write.length > 0) throw new TypeError(`${where}: a query cannot write`);
      const used = write.map(({ value }) => value).filter((value) => typeof value === 'string');
      for (const value of used)
        if (!Object.hasOwn(parameters, value))
          throw new TypeError(
            `${where}.write: "${value}" is no parameter: it has ${Object.keys(parameters).join(', ') || 'none'}`,
          );
      for (const parameter of Object.keys(parameters))
        if (!used.includes(parameter))
          throw new TypeError(`${where}.parameters.${parameter}: nothing writes it`);
    }
    for (const [index, { value }] of safe.entries())
      if (typeof value === 'string')
        throw new TypeError(`init_parameters.safe_state[${index}].value: must be a constant, not "${value}"`);
  }

  protected override protocol(settings: ModbusSettings, transport: string): Protocol {
    const isRtu = isRtuOver(settings, transport);
    const envelope = isRtu ? rtuEnvelope : tcpEnvelope;
    this.#envelope = envelope;
    const { identity } = settings;
    const serial = settings.transport['serial'] as { baud_rate?: number } | undefined;
    const sync =
      isRtu && settings.echo ? (exchange: Exchange): Promise<void> => this.#echo(exchange) : undefined;
    const identify = async (exchange: Exchange): Promise<void> => {
      if (identity === undefined) return;
      const value = await this.#readPoint(identity.read, exchange);
      if (value !== identity.expect)
        throw new Error(
          `another instrument answers: ${nameOf(identity.read)} is ${JSON.stringify(value)}, not ${identity.expect}`,
        );
    };
    return {
      framer: () => envelope.framer(),
      async greet(exchange) {
        // A serial port may still bring old answers.
        await sync?.(exchange);
        await identify(exchange);
      },
      recovery: isRtu ? 'drained' : 'matched',
      sync,
      beat: identity === undefined ? (exchange) => this.#echo(exchange) : identify,
      ...(isRtu ? { settleMs: rtuSilenceMs(serial?.baud_rate ?? 9_600) } : {}),
    };
  }

  protected override twin(settings: ModbusSettings, transport: string): Twin {
    const { simulate, unit } = settings;
    const { latency, ...memory } = simulation.parse(typeof simulate === 'boolean' ? {} : simulate);
    const isRtu = isRtuOver(settings, transport);
    return new ModbusTwin({ memory, latencyMs: latency * 1_000, time: this.time, unit, isRtu });
  }

  protected override async carryOut(entry: ModbusEntry, given: JsonObject): Promise<JsonValue | undefined> {
    const { read, write = [] } = entry;
    const timeoutMs = this.timeoutMs(entry);
    // All entries are made first, so that a wrong argument leaves the instrument alone.
    const written = write.map((point) => ({ point, entries: entriesOf(point, valueOf(point, given)) }));
    return this.inSteps([
      ...written.map(({ point, entries }) => async () => {
        await this.#exchange(nameOf(point), writePdu(point, entries), timeoutMs, this.exchange);
        return undefined;
      }),
      ...(read === undefined ? [] : [() => this.#readPoint(read, this.exchange, timeoutMs)]),
    ]);
  }

  /** Reads a value. @throws NotBegun, ExchangeError, ModbusException */
  protected readPoint(given: z.input<typeof readPoint>): Promise<JsonValue> {
    return this.#readPoint(readPoint.parse(given), this.exchange);
  }

  /** Writes a value. @throws NotBegun, ExchangeError, ModbusException, RangeError when the value does not fit */
  protected async writePoint(given: z.input<typeof writePoint>): Promise<void> {
    const point = writePoint.parse(given);
    const pdu = writePdu(point, entriesOf(point, valueOf(point, {})));
    await this.#exchange(nameOf(point), pdu, this.timeoutMs({}), this.exchange);
  }

  protected override async makeSafe(exchange: Exchange): Promise<void> {
    for (const point of this.settings.safe_state)
      await this.#exchange(
        nameOf(point),
        writePdu(point, entriesOf(point, valueOf(point, {}))),
        this.timeoutMs({}),
        exchange,
      );
  }

  protected override async findIdle(
    { idle }: ModbusSettings,
    exchange: Exchange,
    _inDoubt: readonly CallInDoubt[],
  ): Promise<Reconciliation> {
    if (idle === undefined)
      return { idle: false, detail: 'the init parameter idle does not say how to find out' };
    const value = await this.#readPoint(idle.read, exchange);
    return { idle: value === idle.expect, detail: `${nameOf(idle.read)} is ${JSON.stringify(value)}` };
  }

  async #readPoint(point: ReadPoint, exchange: Exchange, timeoutMs = this.timeoutMs({})): Promise<JsonValue> {
    const pdu = readRequest(point.table, point.address, sizeOf(point));
    return valueIn(point, await this.#exchange(nameOf(point), pdu, timeoutMs, exchange));
  }

  async #echo(exchange: Exchange): Promise<void> {
    await this.#exchange('echo', echoRequest(this.#nextId()), this.timeoutMs({}), exchange);
  }

  /** @throws ModbusException when the instrument refuses */
  #exchange<Value>(name: string, pdu: Pdu<Value>, timeoutMs: number, exchange: Exchange): Promise<Value> {
    const { unit } = this.settings;
    const envelope = this.#envelope;
    const id = this.#nextId();
    return exchange({
      name,
      bytes: envelope.wrap(id, unit, pdu.bytes),
      timeoutMs,
      read(frame): Reading<Value> {
        const bytes = envelope.unwrap(frame, id, unit);
        if (bytes === undefined) return 'other';
        try {
          const answer = pdu.read(bytes);
          return answer === undefined ? 'other' : { answer };
        } catch (error) {
          if (error instanceof ModbusException) return { refused: error };
          throw error;
        }
      },
    });
  }

  #nextId(): number {
    this.#id = (this.#id + 1) % 65_536;
    return this.#id;
  }
}

const isRtuOver = ({ framing }: ModbusSettings, transport: string): boolean =>
  (framing ?? (transport === 'tcp' ? 'tcp' : 'rtu')) === 'rtu';

const nameOf = ({ address, table }: Pick<ReadPoint, 'table' | 'address'>): string => `${table} ${address}`;

const writePdu = ({ address, many, table }: WritePoint, entries: readonly number[]): Pdu<true> =>
  writeRequest(table, address, entries, many);

const valueOf = ({ value }: WritePoint, given: JsonObject): JsonValue =>
  typeof value === 'string' ? (given[value] ?? null) : value;
