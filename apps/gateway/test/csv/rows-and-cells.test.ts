import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isServiceError, type Fault, type JsonValue, type TaskParameters } from '@lab/contracts';
import type { ParameterSpec, ProtocolSnapshot } from '@lab/definitions/model';
import { parameterTable } from '../../src/csv/campaign-tables.js';
import { cellOf } from '../../src/csv/cells.js';
import { mostRows, readParameterRows } from '../../src/csv/parameter-rows.js';
import { csvLine, recordsOf } from '../../src/csv/rfc4180.js';

const common = { desc: '', unit: 'n/a' };
const choices: JsonValue[] = ['round', 'flat', 1, '1', 2.5, true, 'TRUE', null, { a: [1] }, ''];
const specs: Record<string, ParameterSpec> = {
  volume: { ...common, type: 'float' },
  speed: { ...common, type: 'int', min: 0, max: 1000 },
  label: { desc: '', type: 'str' },
  lid: { desc: '', type: 'bool' },
  bottom: { desc: '', type: 'choice', choices },
  shape: { desc: '', type: 'choice', choices: ['flat', '7'] },
  steps: { desc: '', type: 'list', element_type: 'float' },
  settings: { desc: '', type: 'dict' },
};
const module = { hash: 'h', package: 'p', source: 's' };
const task = {
  type: 'mix',
  desc: '',
  devices: {},
  input_parameters: { ...specs, fixed: { desc: '', type: 'bool' as const, value: true } },
  output_parameters: {},
  input_resources: {},
  output_resources: {},
  isolation: 'reusable' as const,
  module,
};
const open = Object.fromEntries(Object.keys(specs).map((name) => [name, { kind: 'dynamic' as const }]));
const protocol: ProtocolSnapshot = {
  hash: 'h',
  protocol: {
    type: 'mixing',
    desc: '',
    labs: [],
    resources: {},
    tasks: ['first', 'second, with a comma'].map((name) => ({
      name,
      type: 'mix',
      desc: '',
      duration: 1,
      group: null,
      devices: {},
      resources: {},
      parameters: open,
      dependencies: [],
    })),
  },
  tasks: { mix: task },
};

const read = (text: string): Promise<TaskParameters[]> => readParameterRows(Buffer.from(text), protocol);
const faultsOf = async (text: string | Buffer): Promise<Fault[]> => {
  try {
    await readParameterRows(Buffer.from(text as string), protocol);
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    expect(error.code).toBe('invalid');
    return [...error.faults];
  }
};

/** Text that can be stored, with many characters that are special in CSV and spreadsheets. */
const text = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...'=+-@;,"\'\t\r\n |a0.eE＝\\') }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', ' ', 'true', 'NULL', '1', '007', '-5', '1e5', '"', '""', '"a', '\\', '=1+1', '#'),
  )
  .map((each) => each.toWellFormed().replaceAll('\u0000', ''));
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0 || 0);
const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b;=c', 'd"'), tie('value'), { noNullPrototype: true }),
  ),
})).value;
const values = fc.record(
  {
    volume: number,
    speed: fc.integer({ min: 0, max: 1000 }),
    label: text,
    lid: fc.boolean(),
    bottom: fc.constantFrom(...choices),
    shape: fc.constantFrom('flat', '7'),
    steps: fc.array(number),
    settings: fc.dictionary(fc.constantFrom('a', 'x;=y'), json, { noNullPrototype: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
/** A task without given parameters is absent. */
const row = fc
  .record({ first: values, 'second, with a comma': values }, { noNullPrototype: true })
  .map((tasks) =>
    Object.fromEntries(Object.entries(tasks).filter(([, each]) => Object.keys(each).length > 0)),
  );

describe('a table of parameters', () => {
  const table = parameterTable([protocol]);
  const written = (rows: TaskParameters[]): string =>
    table.header() + rows.map((parameters) => table.row({ parameters })).join('');

  it('yields the values from which it was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (rows) => {
        expect(await read(written(rows))).toEqual(rows);
      }),
      { numRuns: 300 },
    );
  });

  it('contains no formula, also for a spreadsheet that separates by semicolons and ignores quotation marks', () => {
    const begins = /^[\s"']*[=+@＝＋－＠]|^[\s"']*-(?!\d)/;
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        for (const { cells } of recordsOf(written(rows), ',')) {
          for (const cell of cells) {
            if (!cell.startsWith('"')) expect(cell).not.toMatch(begins);
            const parts = cell.split(/[;\t\r\n]/).slice(1);
            for (const part of parts) expect(part).not.toMatch(/^[\s"'\\]*[=+\-@＝＋－＠]/);
          }
        }
      }),
    );
    expect(cellOf('=HYPERLINK("x")')).toBe('"=HYPERLINK(\\"x\\")"');
    expect(cellOf('a;=1+1')).toBe('"a;\\u003d1+1"');
    expect([-5, 1e-7, 1e21, 0.1].map(cellOf)).toEqual(['-5', '1e-7', '1e+21', '0.1']);
  });

  it('shows numbers, flags and plain text as people write them', () => {
    const parameters = { first: { volume: 2.5, speed: 30, label: 'two words', lid: true, steps: [1, 2] } };
    expect(table.row({ parameters })).toBe(`2.5,30,two words,true,,,"[1,2]",${','.repeat(8)}\r\n`);
  });
});

describe('a table written by people', () => {
  it.each([
    [
      'with a mark of its encoding and other ends of lines',
      '\uFEFFfirst.volume,first.lid\n1.5,TRUE\r2,false',
    ],
    ['with semicolons and decimal commas', 'first.volume;first.lid\r\n1,5;True\r\n2;FALSE\r\n'],
    ['with quotation marks and empty lines', '\n"first.volume" ,first.lid\n\n"1.5","true"\n2,false\n\n'],
  ])('is read %s', async (_, given) => {
    const wanted = [{ first: { volume: 1.5, lid: true } }, { first: { volume: 2, lid: false } }];
    // RFC 4180 permits nothing between a closing quotation mark and the comma.
    const text = given.replace('" ,', '",');
    expect(await read(text)).toEqual(wanted);
  });

  it('may have empty cells, line breaks within quotation marks, and no rows', async () => {
    expect(await read('first.label,first.volume\n"a\r\nb; ""c""",\n,3\n, \n')).toEqual([
      { first: { label: 'a\r\nb; "c"' } },
      { first: { volume: 3 } },
      {},
    ]);
    expect(await read('first.lid')).toEqual([]);
  });

  it.each([
    ['a value of another type', 'first.volume\n1\nmuch', 3, 'first.volume', 'type', /decimal point/],
    ['a number with a unit', 'first.speed\n5 rpm', 2, 'first.speed', 'type', /without a unit/],
    ['thousands set apart', 'first.volume\n"1,250.5"', 2, 'first.volume', 'type', /1250\.5/],
    ['a whole number with a fraction', 'first.speed\n2.5', 2, 'first.speed', 'type', /./],
    ['a value out of its bounds', 'first.speed\n\n1001', 3, 'first.speed', 'above_max', /./],
    ['a number beyond what is kept', 'first.volume\n1e999', 2, 'first.volume', 'type', /./],
    ['no choice', 'first.shape\nround', 2, 'first.shape', 'not_a_choice', /"flat"/],
    ['no flag', 'first.lid\nyes', 2, 'first.lid', 'type', /true or false/],
    ['no list', 'first.steps\n1;2', 2, 'first.steps', 'json', /\[1, 2\.5\]/],
    [
      'a key that means something else',
      'first.settings\n"{""__proto__"":1}"',
      2,
      'first.settings',
      'forbidden_key',
      /./,
    ],
    ['text in one quotation mark', 'first.label\n"""a"', 2, 'first.label', 'text', /quotation marks/],
    ['an unknown column', 'first.volumes\n1', 1, 'first.volumes', 'unknown_parameter', /first|volume/],
    ['a task that there is not', 'frist.volume\n1', 1, 'frist.volume', 'unknown_task', /"first"/],
    ['what the protocol sets itself', 'first.fixed\ntrue', 1, 'first.fixed', 'not_dynamic', /svc_dynamic/],
    ['a column that is none', 'volume\n1', 1, 'volume', 'unknown_column', /first\.volume/],
    ['a column twice', 'first.lid,first.lid\ntrue,true', 1, 'first.lid', 'repeated', /./],
    ['a column without name', 'first.lid,\ntrue,', 1, '', 'no_name', /./],
    ['a cell too much', 'first.lid\ntrue,true', 2, '', 'cells', /quotation marks/],
    ['a cell that does not end', 'first.label,first.lid\n"a,true\nb', 2, '', 'csv', /twice/],
    ['a quotation mark within a cell', 'first.label\n"a\nb"\n5" plate', 4, '', 'csv', /twice/],
    ['more behind a quotation mark', 'first.label\n"a"b', 2, '', 'csv', /twice/],
    [
      'both decimal marks',
      'first.volume;first.speed\n1,5;1\n2.5;2',
      3,
      'first.volume',
      'decimal_mark',
      /line 2/,
    ],
    [
      'what may be thousands',
      'first.volume;first.speed\n1.250;1',
      2,
      'first.volume',
      'decimal_mark',
      /decimal comma/,
    ],
  ] as const)(
    'is refused for %s, with the line, the column and a correction',
    async (_, given, line, path, code, hint) => {
      const [fault, ...more] = await faultsOf(given);
      expect(more).toEqual([]);
      expect(fault).toMatchObject({ line, path, code });
      expect(fault?.message).not.toBe('');
      expect(fault?.hint).toMatch(hint);
    },
  );

  it('may have decimal points between semicolons when they are unambiguous', async () => {
    expect(await read('first.volume;first.speed\n1.250;1\n0.5;2')).toEqual([
      { first: { volume: 1.25, speed: 1 } },
      { first: { volume: 0.5, speed: 2 } },
    ]);
  });

  it('is refused when it is not text, empty or too large, and lists a limited number of faults', async () => {
    expect(await faultsOf(Buffer.from([0x61, 0xff]))).toMatchObject([{ code: 'encoding' }]);
    expect(await faultsOf('\n\n')).toMatchObject([{ code: 'empty' }]);
    expect(await faultsOf(`first.lid\n${'x\n'.repeat(100)}`)).toHaveLength(20);
    expect(await faultsOf(`${'a,'.repeat(1_000)}a`)).toMatchObject([{ code: 'too_many_columns' }]);
    expect(await faultsOf(`first.lid\n${'true\n'.repeat(mostRows + 1)}`)).toMatchObject([
      { code: 'too_many_rows', line: mostRows + 2 },
    ]);
  });

  it('lets other requests run while it is read', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const rows = await read(`first.lid,first.speed\n${'true,7\n'.repeat(50_000)}`);
    clearInterval(timer);
    expect(rows).toHaveLength(50_000);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('records of RFC 4180', () => {
  it('are read as they were written, with the first line of each', () => {
    const cells = fc.string({ unit: fc.constantFrom(...'",;\r\n a') });
    fc.assert(
      fc.property(fc.array(fc.array(cells, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), (records) => {
        let line = 1;
        const wanted = records.map((each) => {
          const record = { line, cells: each };
          line += csvLine(each).match(/\r\n|\r|\n/g)?.length ?? 0;
          return record;
        });
        expect([...recordsOf(records.map(csvLine).join(''), ',')]).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });
});
