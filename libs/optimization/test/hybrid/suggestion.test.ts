import { describe, expect, it } from 'vitest';
import {
  categoricalInput,
  continuousInput,
  continuousOutput,
  discreteInput,
  Domain,
  linearEquality,
  linearInequality,
  minimize,
  nChooseK,
  type Point,
} from '../../src/index.js';
import { suggestionSchema } from '../../src/hybrid/schema.js';
import { readSuggestion } from '../../src/hybrid/suggestion.js';

const outputs = [continuousOutput('test.loss', minimize())];
const mixed = Domain.of({
  inputs: [
    continuousInput('mix.cyan_volume', [0, 25]),
    continuousInput('mix.speed', [0, 100], { step: 20 }),
    discreteInput('mix.time', [5, 10, 20]),
    categoricalInput('mix.solvent', ['water', 'ethanol']),
  ],
  outputs,
  constraints: [],
});
const good = { 'mix.cyan_volume': 3.5, 'mix.speed': 40, 'mix.time': 10, 'mix.solvent': 'water' };
const shares = ['mix.a', 'mix.b', 'mix.c'];
const recipe = Domain.of({
  inputs: [...shares.map((key) => continuousInput(key, [0, 1])), discreteInput('mix.n', [0, 1])],
  outputs,
  constraints: [
    linearEquality(shares, [1, 1, 1], 1),
    linearInequality(['mix.a', 'mix.n'], [1, 1], 1.5),
    nChooseK(shares, { min_count: 1, max_count: 3 }),
  ],
});
const pair = Domain.of({
  inputs: shares.map((key) => continuousInput(key, [0, 1])),
  outputs,
  constraints: [nChooseK(shares, { max_count: 2 })],
});

const read = (
  domain: Domain,
  rows: unknown,
  { count = 1, done = [] as Point[], pending = [] as Point[], journal = 'why' as unknown } = {},
) =>
  readSuggestion(JSON.stringify({ journal, suggestions: rows }), {
    domain,
    count,
    known: { done, pending },
  });
const codesOf = (reading: ReturnType<typeof readSuggestion>) => reading.faults?.map(({ code }) => code);

describe('a valid answer', () => {
  it('is accepted unchanged', () => {
    expect(read(mixed, [good])).toEqual({ points: [good], adjusted: [false], journal: 'why' });
  });

  it('may stand among other text and omit the journal', () => {
    const wanted = { domain: mixed, count: 1, known: { done: [], pending: [] } };
    const text = 'Here you are:\n```json\n' + JSON.stringify({ suggestions: [good] }) + '\n```';
    expect(readSuggestion(text, wanted)).toEqual({ points: [good], adjusted: [false], journal: '' });
  });

  it('may write keys in another case and with other separators', () => {
    const mangled = { MixCyanVolume: 3.5, MIX_SPEED: 40, 'mix time': 10, 'mix-solvent': 'water' };
    expect(read(mixed, [mangled])).toEqual({ points: [good], adjusted: [false], journal: 'why' });
  });

  it('has a journal of bounded length without control characters', () => {
    const { journal } = read(mixed, [good], { journal: `\u001b[2Ja\u202eb${'x'.repeat(5000)}` }) as {
      journal: string;
    };
    expect(journal).toMatch(/^\[2Ja bx+$/);
    expect(journal).toHaveLength(2000);
  });
});

describe('a rounding error', () => {
  it('is corrected near a step or a listed value, and marked', () => {
    const rounded = { ...good, 'mix.speed': 40.1, 'mix.time': 10.04 };
    expect(read(mixed, [rounded])).toMatchObject({ points: [good], adjusted: [true] });
    expect(codesOf(read(mixed, [{ ...good, 'mix.speed': 40.3 }]))).toEqual(['step']);
    expect(codesOf(read(mixed, [{ ...good, 'mix.time': 10.06 }]))).toEqual(['value']);
  });

  it('is corrected in a sum that is wrong by at most a thousandth, with everything else kept', () => {
    const thirds = { 'mix.a': 0.333, 'mix.b': 0.333, 'mix.c': 0.333, 'mix.n': 1 };
    const reading = read(recipe, [thirds]);
    expect(reading).toMatchObject({ adjusted: [true], points: [{ 'mix.n': 1 }] });
    const [point] = reading.points!;
    expect(recipe.validate(point)).toEqual([]);
    for (const key of shares) expect(Number(point![key])).toBeCloseTo(1 / 3, 3);
    expect(codesOf(read(recipe, [{ ...thirds, 'mix.a': 0.33 }]))).toEqual(['constraint']);
    const above = { 'mix.a': 0.6, 'mix.b': 0.2, 'mix.c': 0.2, 'mix.n': 1 };
    expect(codesOf(read(recipe, [above]))).toEqual(['constraint']);
  });

  it('does not remove a feature', () => {
    const three = { 'mix.a': 0.5, 'mix.b': 0.5, 'mix.c': 1e-4 };
    expect(codesOf(read(pair, [three]))).toEqual(['constraint']);
  });
});

describe('an invalid answer', () => {
  it.each([
    ['', 'json'],
    ['no', 'json'],
    ['{"suggestions":', 'json'],
    ['[]', 'json'],
    ['null', 'json'],
    [undefined, 'type'],
    [{ suggestions: [good] }, 'type'],
    ['x'.repeat(1_000_001), 'type'],
    ['{}', 'type'],
    ['{"suggestions": {}}', 'type'],
    ['{"suggestions": []}', 'count'],
  ])('is refused: %.40s', (text, code) => {
    const wanted = { domain: mixed, count: 1, known: { done: [], pending: [] } };
    expect(codesOf(readSuggestion(text, wanted))).toEqual([code]);
  });

  it.each([
    ['a row that is none', 5, ['type']],
    ['a list as a row', [1], ['type']],
    ['a missing key', { ...good, 'mix.time': undefined }, ['missing_key']],
    ['an unknown key', { ...good, 'mix.heat': 1 }, ['unknown_key']],
    ['a key of all objects', JSON.parse(`{"__proto__": 1, "toString": 2}`), Array(2).fill('unknown_key')],
    ['a key in two forms', { ...good, MIX_TIME: 5 }, ['repeated_key']],
    ['a value out of bounds', { ...good, 'mix.cyan_volume': 25.01 }, ['bounds']],
    ['a number as text', { ...good, 'mix.time': '10' }, ['type']],
    ['no number at all', { ...good, 'mix.cyan_volume': null }, ['type']],
    ['an unknown category', { ...good, 'mix.solvent': 'Water ' }, ['category']],
  ])('is refused: %s', (_, row, codes) => {
    expect(codesOf(read(mixed, [row]))).toEqual(expect.arrayContaining(codes));
  });

  it('is refused when it has an infinite number', () => {
    const text = JSON.stringify({ suggestions: [good] }).replace('3.5', '1e999');
    const wanted = { domain: mixed, count: 1, known: { done: [], pending: [] } };
    expect(codesOf(readSuggestion(text, wanted))).toEqual(['not_finite']);
  });

  it('is refused when it repeats a completed, a pending or its own point', () => {
    expect(read(mixed, [good], { done: [good] }).faults).toMatchObject([
      { path: 'suggestions[0]', code: 'duplicate' },
    ]);
    expect(codesOf(read(mixed, [good], { pending: [good] }))).toEqual(['duplicate']);
    const almost = { ...good, 'mix.speed': 40.1 };
    expect(read(mixed, [good, almost], { count: 2 }).faults).toMatchObject([
      { path: 'suggestions[1]', code: 'duplicate' },
    ]);
  });
});

describe('the schema of an answer', () => {
  it('expresses the parts of the domain that a schema can express', () => {
    expect(suggestionSchema(mixed.space, 3)).toMatchObject({
      required: ['journal', 'suggestions'],
      additionalProperties: false,
      properties: {
        suggestions: {
          minItems: 3,
          maxItems: 3,
          items: {
            required: Object.keys(good),
            additionalProperties: false,
            properties: {
              'mix.cyan_volume': { type: 'number', minimum: 0, maximum: 25 },
              'mix.time': { enum: [5, 10, 20] },
              'mix.solvent': { enum: ['water', 'ethanol'] },
            },
          },
        },
      },
    });
  });
});
