import { describe, expect, it } from 'vitest';
import { TaskSubmission, TokenSubmission } from '../src/index.js';
import { dtoSchema } from '../src/bodies.js';

describe('a null in a body', () => {
  it('counts as an absent field where the field is optional, at any depth', () => {
    const checked = dtoSchema(TokenSubmission).check({
      name: 'ada',
      kind: null,
      note: null,
      expires_in_days: null,
      grants: [{ role: 'viewer', lab: null }],
    });
    expect(JSON.parse(JSON.stringify(checked))).toEqual({
      ok: true,
      value: { name: 'ada', grants: [{ role: 'viewer' }] },
    });
    expect(checked.ok && Object.keys(checked.value)).toEqual(['name', 'grants']);
  });

  it('is refused where the field is required', () => {
    const checked = dtoSchema(TokenSubmission).check({ name: null, grants: [{ role: null }] });
    expect(checked.ok ? [] : checked.faults.map(({ path }) => path)).toEqual(['name', 'grants[0].role']);
  });

  it('stays a value in the parameters of a task', () => {
    const checked = dtoSchema(TaskSubmission).check({
      name: 't',
      type: 'x',
      input_parameters: { depth: null, list: [null, { a: null }] },
    });
    expect(checked).toMatchObject({
      ok: true,
      value: { input_parameters: { depth: null, list: [null, { a: null }] } },
    });
  });
});

describe('a field that is missing or of a wrong type', () => {
  const faultsOf = (body: object): [string, string, string][] => {
    const checked = dtoSchema(TaskSubmission).check(body);
    return checked.ok ? [] : checked.faults.map(({ path, code, message }) => [path, code, message]);
  };

  it.each<[object, [string, string, string]]>([
    [{ name: 't' }, ['type', 'missing_field', 'type is missing']],
    [{ name: 't', type: 5 }, ['type', 'isString', 'type must be a string']],
    [{ name: 't', type: '' }, ['type', 'isLength', 'type must be longer than or equal to 1 characters']],
    [{ name: 't', type: 'x', priority: 'high' }, ['priority', 'isInt', 'priority must be an integer number']],
    [
      { name: 't', type: 'x', devices: { arm: { lab_name: 'a' } } },
      ['devices', 'isMapOf', 'devices has a fault in "arm": name is missing'],
    ],
  ])('has exactly one fault: %j', (body, fault) => {
    expect(faultsOf(body)).toEqual([fault]);
  });
});
