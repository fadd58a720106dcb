import { IntlMessageFormat } from 'intl-messageformat';
import type { Catalogue, Language, WordKey } from './catalogues.js';

export type Values = Readonly<Record<string, string | number | boolean>>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Texts, numbers and times of one language and one time zone. */
export class Words {
  readonly #formats = new Map<WordKey, IntlMessageFormat>();
  readonly #time: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #dayOf: Intl.DateTimeFormat;

  /**
   * @param texts of the language
   * @param zone of the IANA database, for example `Europe/Berlin`; undefined: that of the computer
   */
  constructor(
    readonly language: Language,
    private readonly texts: Catalogue,
    zone?: string,
  ) {
    const at = zone === undefined ? {} : { timeZone: zone };
    this.#time = new Intl.DateTimeFormat(language, {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      ...at,
    });
    this.#day = new Intl.DateTimeFormat(language, {
      ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...at },
    });
    this.#dayOf = new Intl.DateTimeFormat('en-CA', at);
  }

  /** A text. @throws Error when a value is missing that the text names */
  say(key: WordKey, values: Values = {}): string {
    let format = this.#formats.get(key);
    if (format === undefined) {
      format = new IntlMessageFormat(this.texts[key], this.language, undefined, {
        ignoreTag: true,
      });
      this.#formats.set(key, format);
    }
    return String(format.format({ ...values }));
  }

  /** The word for a state; a state that the page does not know is shown as it is. */
  state(state: string): string {
    const key = `state.${state}`;
    return Object.hasOwn(this.texts, key) ? this.say(key as WordKey) : state;
  }

  /** A number as people of the language write it, with at most `digits` digits after the point. */
  number(value: number, digits = 3): string {
    return value.toLocaleString(this.language, { maximumFractionDigits: digits });
  }

  /** A size of a file. */
  size(bytes: number): string {
    const scale = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
    const keys = ['file.size.bytes', 'file.size.kib', 'file.size.mib', 'file.size.gib'] as const;
    const count = scale === 0 ? bytes : this.number(bytes / 1024 ** scale, 1);
    return this.say(keys[scale] ?? 'file.size.bytes', { count });
  }

  /** A time of day, with the day when it is another day than `now`. Both in milliseconds since 1970. */
  time(at: number, now: number): string {
    return this.#dayOf.format(at) === this.#dayOf.format(now) ? this.#time.format(at) : this.#day.format(at);
  }

  /**
   * When a day begins in the time zone, in milliseconds since 1970; undefined: there is no such day.
   *
   * @param day as `2026-11-20`
   * @param plus days later
   */
  startOf(day: string, plus = 0): number | undefined {
    const noon = Date.parse(`${day}T12:00Z`) + plus * dayMs;
    if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(noon)) return undefined;
    const wanted = new Date(noon).toISOString().slice(0, 10);
    // A zone is at most 14 hours from UTC. Within this span, the days of the zone only grow.
    let before = Math.floor((noon - 1.5 * dayMs) / minuteMs);
    let begun = Math.floor((noon + dayMs) / minuteMs);
    while (begun - before > 1) {
      const middle = Math.floor((before + begun) / 2);
      if (this.#dayOf.format(middle * minuteMs) >= wanted) begun = middle;
      else before = middle;
    }
    return begun * minuteMs;
  }

  /** A span of time, coarse enough to be read at a glance. */
  age(ms: number): string {
    const seconds = Math.max(0, Math.round(ms / 1_000));
    if (seconds < 90) return this.say('age.seconds', { count: seconds });
    const minutes = Math.round(seconds / 60);
    if (minutes < 90) return this.say('age.minutes', { count: minutes });
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return this.say('age.hours', { hours, minutes: minutes % 60 });
    return this.say('age.days', { count: Math.floor(hours / 24) });
  }

  /** How long something took that is over: as an age, and below ten seconds to a tenth. */
  duration(ms: number): string {
    return ms < 10_000 ? this.say('age.seconds', { count: this.number(ms / 1_000, 1) }) : this.age(ms);
  }
}
