import { deviceStates } from '@lab/contracts';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { catalogueOf, languageFor, languages, Words } from '../src/index.js';
import { english as en } from '../src/words/english.js';
import { german as de } from '../src/words/german.js';

interface Part {
  type: number;
  value?: string;
  options?: Record<string, { value: Part[] }>;
}

/** The names of the values that a text needs. */
function namesIn(parts: Part[]): string[] {
  return parts.flatMap(({ type, value = '', options }) => [
    ...(type === 0 || type === 7 ? [] : [value]),
    ...Object.values(options ?? {}).flatMap((option) => namesIn(option.value)),
  ]);
}
const names = (text: string): string[] =>
  [
    ...new Set(namesIn(new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst() as Part[])),
  ].sort();

describe('the catalogues', () => {
  it('have the same keys, and each text needs the same values', () => {
    expect(Object.keys(de)).toEqual(Object.keys(en));
    for (const key of Object.keys(en) as (keyof typeof en)[])
      expect(names(de[key]), key).toEqual(names(en[key]));
  });

  it('are loaded one by one', async () => {
    expect(await Promise.all(languages.map(catalogueOf))).toEqual([en, de]);
  });

  it('have no text that is empty or was not translated', () => {
    const same = (Object.keys(en) as (keyof typeof en)[]).filter((key) => de[key] === en[key]);
    // They consist of values, signs of units, and a word that both languages have.
    const equal = [
      'stop.scope.device',
      'halt.by',
      'halt.by.no_reason',
      'age.seconds',
      'age.minutes',
      'age.hours',
      'value.name',
      'file.size.kib',
      'file.size.mib',
      'file.size.gib',
      'submit.name',
      'schedule.task',
      ...([
        'computer.title',
        'computer.agent',
        'computer.version',
        'computer.tasks',
        'rollout.version',
      ] as const),
      'resources.of',
      'resource.change',
      ...(['usage.size.kb', 'usage.size.mb', 'usage.size.gb'] as const),
    ];
    expect(same).toEqual(equal);
    expect(Object.values({ ...en, ...de }).filter((text) => text.trim() === '')).toEqual([]);
  });

  it('have a word for every state of a device', () => {
    for (const state of deviceStates) expect(Object.keys(en)).toContain(`state.${state}`);
  });
});

describe('words', () => {
  const english = new Words('en', en, 'UTC');
  const german = new Words('de', de, 'Europe/Berlin');

  it('have plurals', () => {
    expect([1, 2].map((count) => english.say('now.needs', { count }))).toEqual([
      '1 question waits for a person',
      '2 questions wait for a person',
    ]);
    expect(german.say('now.needs', { count: 2 })).toBe('2 Fragen warten auf einen Menschen');
  });

  it('show texts of the laboratory as they are', () => {
    expect(english.say('stop.scope.lab', { lab: '<b>{x}</b>' })).toBe('The laboratory <b>{x}</b>');
  });

  it('show a state that is unknown here as it is', () => {
    expect([german.state('idle'), german.state('of_the_future')]).toEqual(['bereit', 'of_the_future']);
  });

  it('show a time with its day when it is another day, in the chosen zone', () => {
    const at = Date.parse('2026-11-27T23:30:00.000Z');
    expect(english.time(at, at)).toBe('23:30');
    expect(english.time(at, at + 3_600_000)).toBe('Nov 27, 23:30');
    expect(german.time(at, at + 3_600_000)).toBe('00:30');
  });

  it.each([
    [0, '0 s'],
    [89_400, '89 s'],
    [90_000, '2 min'],
    [5_400_000, '1 h 30 min'],
    [172_800_000, '2 days'],
  ])('show %d ms as "%s"', (ms, text) => {
    expect(english.age(ms)).toBe(text);
  });

  it('are durations to a tenth of a second while they are short', () => {
    expect([340, 9_940, 10_400].map((ms) => german.duration(ms))).toEqual(['0,3 s', '9,9 s', '10 s']);
  });

  it('are those of the language that a browser wishes first and the page has', () => {
    expect([['fr', 'de-CH', 'en'], ['fr'], []].map((wishes) => languageFor(wishes))).toEqual([
      'de',
      'en',
      'en',
    ]);
  });

  it.each([
    ['2026-11-20', 0, 'Europe/Berlin', '2026-11-19T23:00:00.000Z'],
    ['2026-10-25', 0, 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-10-25', 1, 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    ['2026-12-31', 1, 'Pacific/Kiritimati', '2026-12-31T10:00:00.000Z'],
    ['2026-11-20', 0, 'America/Los_Angeles', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20', 0, 'UTC', '2026-11-20T00:00:00.000Z'],
  ])('know when the day %s, and %i later, begins in %s', (day, plus, zone, expected) => {
    const begin = new Words('en', en, zone).startOf(day, plus);
    expect(begin === undefined ? undefined : new Date(begin).toISOString()).toBe(expected);
  });

  it.each(['', 'soon', '2026-13-01', '2026-11-20T10:00'])('know no beginning of the day "%s"', (day) => {
    expect(new Words('en', en, 'UTC').startOf(day)).toBeUndefined();
  });
});
