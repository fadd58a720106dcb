import { describe, expect, it } from 'vitest';
import { TaskSubmission, TokenSubmission } from '../src/index.js';
import { dtoSchema } from '../src/schema.js';

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
