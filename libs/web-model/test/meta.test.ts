import { describe, expect, it } from 'vitest';
import {
  declaredMetaOf,
  metaChanges,
  metaFieldsOf,
  metaPatch,
  metaTextsOf,
  readFields,
} from '../src/index.js';

const declared = { capacity: 60, location: 'shelf', paint: null, clean: true, wells: [1, 2] };
const meta = { capacity: 60, location: 'rack', paint: 'blue', clean: false, spots: { a: 1 } };

describe('the data of a resource', () => {
  it('has a field for each value that it has or its laboratory declares', () => {
    const kinds = metaFieldsOf(meta, declared).map(({ name, kind, isRequired }) => [name, kind, isRequired]);
    expect(kinds).toEqual([
      ['capacity', 'float', false],
      ['location', 'str', false],
      ['paint', 'any', false],
      ['clean', 'bool', false],
      ['wells', 'list', false],
      ['spots', 'dict', false],
    ]);
  });

  it('is unchanged when nothing is written', () => {
    const fields = metaFieldsOf(meta, declared);
    const { values, faults } = readFields(fields, metaTextsOf(fields, meta));
    expect(faults.size).toBe(0);
    expect(metaPatch(meta, values as never)).toEqual({});
  });

  it('changes by what is written, and loses what is emptied', () => {
    const fields = metaFieldsOf(meta, declared);
    const texts = new Map(metaTextsOf(fields, meta)).set('capacity', '12.5').set('location', '');
    expect(metaPatch(meta, readFields(fields, texts).values)).toEqual({ capacity: 12.5, location: null });
  });

  it('tells what a reset changes', () => {
    expect(metaChanges(meta, { ...declared, spots: { a: 1 } })).toEqual([
      { name: 'location', before: 'rack', after: 'shelf' },
      { name: 'paint', before: 'blue', after: null },
      { name: 'clean', before: false, after: true },
      { name: 'wells', before: undefined, after: [1, 2] },
    ]);
    expect(metaChanges({ a: { b: 1, c: [2] } }, { a: { c: [2], b: 1 } })).toEqual([]);
    expect(metaChanges({ a: [1] }, { a: { 0: 1 } })).toHaveLength(1);
  });

  it('is declared by the file of its laboratory', () => {
    const definition = { resources: { beaker_1: { type: 'beaker', meta: declared } } };
    expect(declaredMetaOf(definition, 'beaker_1')).toEqual(declared);
    expect(declaredMetaOf(definition, 'beaker_2')).toBeUndefined();
    expect(declaredMetaOf(null, 'beaker_1')).toBeUndefined();
  });
});
