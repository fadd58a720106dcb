import type { AttentionRecord, EffectRecord, EmergencyStopRecord } from '@lab/api-client';
import type { Field } from './fields/index.js';
import { isObject } from './fields/field.js';
import { stopScopeOf } from './situation.js';
import { plainText } from './values.js';

/** A call of a device that an attention item names. */
export interface KnownCall {
  id: string;
  /** `<lab>.<device>`. */
  device: string;
  function: string;
  /** Arguments, as far as the item or the record of the call tells them. */
  arguments: Readonly<Record<string, unknown>> | undefined;
}

export interface KnownCalls {
  /** The last call whose end is known; undefined: there is none. */
  last: KnownCall | undefined;
  /** Calls that were sent and whose end is not known. */
  inDoubt: readonly KnownCall[];
}

/**
 * The calls that an item about a task or a device names.
 *
 * @returns undefined: the item says nothing about calls
 */
export function callsOf({
  device,
  known,
}: Pick<AttentionRecord, 'device' | 'known'>): KnownCalls | undefined {
  const { last_confirmed: last, in_doubt: doubts } = known;
  if (last === undefined && doubts === undefined) return undefined;
  const read = (value: unknown): KnownCall[] => {
    if (!isObject(value)) return [];
    const { call_id: id, function: name, device: of = device, arguments: given } = value;
    if (typeof id !== 'string' || typeof name !== 'string' || typeof of !== 'string') return [];
    return [{ id, device: of, function: name, arguments: isObject(given) ? given : undefined }];
  };
  return { last: read(last)[0], inDoubt: (Array.isArray(doubts) ? doubts : [doubts]).flatMap(read) };
}

/** The moment to which the times of calls are compared, in milliseconds since 1970. */
export interface Moment {
  what: 'stop' | 'end' | 'question';
  at: number;
}

/**
 * The emergency stop that the item is about, while it is in force; else the end of the task; else when the service asked.
 *
 * @param device `<lab>.<device>`
 * @param stops those in force
 */
export function momentOf(
  { reason, known, opened_at: opened }: Pick<AttentionRecord, 'reason' | 'known' | 'opened_at'>,
  device: string,
  stops: readonly EmergencyStopRecord[],
): Moment {
  const asked = Date.parse(opened);
  if (reason.code === 'emergency_stop') {
    const engaged = stops
      .filter(({ scope }) => covers(scope, device))
      .map(({ engaged_at: at }) => Date.parse(at))
      .filter((at) => at <= asked);
    if (engaged.length > 0) return { what: 'stop', at: Math.max(...engaged) };
  }
  const ended = typeof known['ended_at'] === 'string' ? Date.parse(known['ended_at']) : NaN;
  return Number.isNaN(ended) ? { what: 'question', at: asked } : { what: 'end', at: ended };
}

function covers(scope: string, device: string): boolean {
  const stop = stopScopeOf(scope);
  if (stop.kind === 'all') return true;
  return stop.kind === 'lab' ? device.startsWith(`${stop.lab}.`) : device === `${stop.lab}.${stop.device}`;
}

/**
 * A call as people write it, for example `dispense(volume: 5 ml)`.
 *
 * @param effect the record of the call, with all arguments; undefined: it is not known
 * @param fields the declared parameters of the function, with their units
 */
export function callText(
  { function: name, arguments: named }: KnownCall,
  effect: Pick<EffectRecord, 'arguments'> | undefined,
  fields: readonly Field[],
): string {
  const given = effect?.arguments ?? named;
  if (given === undefined) return `${name}(...)`;
  const texts = Object.entries(given).map(([argument, value]) => {
    const unit = fields.find((field) => field.name === argument)?.unit;
    return `${argument}: ${plainText(value)}${unit === undefined ? '' : ` ${unit}`}`;
  });
  return `${name}(${texts.join(', ')})`;
}
