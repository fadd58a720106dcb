import { describe, expect, it } from 'vitest';
import { edgesOf, previewOf, tableOf, plainText, Words } from '../src/index.js';
import { english } from '../src/words/english.js';

describe('a value', () => {
  it('is one line that fits into a submission', () => {
    expect([0.1, 'a b', true, [1, 2], { a: null }].map(plainText)).toEqual([
      '0.1',
      'a b',
      'true',
      '[1,2]',
      '{"a":null}',
    ]);
  });
});

describe('a file', () => {
  it.each([
    ['image/png', 'image'],
    ['image/svg+xml', 'text'],
    ['text/html', 'text'],
    ['TEXT/CSV; charset=utf-8', 'table'],
    ['application/json', 'text'],
    ['application/pdf', 'none'],
    ['application/octet-stream', 'none'],
  ])('of the type %s is shown as %s', (type, kind) => {
    expect(previewOf(type)).toBe(kind);
  });

  it('has a size that people read', () => {
    const words = new Words('en', english, 'UTC');
    expect([0, 1, 1_023, 1_536, 3 * 1024 ** 2, 5.5 * 1024 ** 4].map((size) => words.size(size))).toEqual([
      '0 bytes',
      '1 byte',
      '1,023 bytes',
      '1.5 KiB',
      '3 MiB',
      '5,632 GiB',
    ]);
  });
});

describe('a table', () => {
  it('is read with its quotation marks and line ends', () => {
    expect(tableOf('a,b\r\n"1,5","say ""hi""\nthere"\r\n,x', 10)).toEqual([
      ['a', 'b'],
      ['1,5', 'say "hi"\nthere'],
      ['', 'x'],
    ]);
  });

  it('has the separator that its first line has most often', () => {
    expect(tableOf('a;b\n1,5;2', 10)).toEqual([
      ['a', 'b'],
      ['1,5', '2'],
    ]);
    expect(tableOf('a\tb', 10)).toEqual([['a', 'b']]);
  });

  it('is read no further than asked', () => {
    expect(tableOf('a\nb\nc\n', 2)).toEqual([['a'], ['b']]);
    expect(tableOf('', 2)).toEqual([]);
  });
});

describe('the order of tasks', () => {
  it('comes from the protocol, for the tasks of the run alone', () => {
    const tasks = [
      { name: 'mix', dependencies: [] },
      { name: 'look', dependencies: ['mix', 'gone'] },
      { name: 'new', dependencies: ['mix'] },
    ];
    expect(edgesOf({ tasks }, ['mix', 'look'])).toEqual([{ from: 'mix', to: 'look' }]);
  });

  it.each([undefined, null, 3, {}, { tasks: {} }, { tasks: [null, { name: 'a' }] }])(
    'is unknown without a definition: %j',
    (definition) => {
      expect(edgesOf(definition, ['a'])).toEqual([]);
    },
  );
});
