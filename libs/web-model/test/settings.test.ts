import type { SettingField } from '@lab/api-client';
import { expect, it } from 'vitest';
import { runtimeFieldsOf } from '../src/index.js';

const setting = (given: Partial<SettingField>): SettingField => ({
  ...{ key: 'x', type: 'number', default: 0, runtime: true },
  ...given,
});

it('settings of an optimizer that may change become fields, with their form and bounds', () => {
  const declared = [
    setting({ key: 'p_ai', min: 0, max: 1, description: 'Share of the AI' }),
    setting({ key: 'descending', type: 'checkbox' }),
    setting({ key: 'rule', type: 'select', options: ['a', 'b'] }),
    setting({ key: 'fixed', runtime: false }),
    setting({ key: 'not_now' }),
  ];
  const fields = runtimeFieldsOf(declared, { p_ai: 0.2, descending: true, rule: 'a', fixed: 1 });
  expect(fields).toMatchObject([
    { name: 'p_ai', kind: 'float', desc: 'Share of the AI', min: 0, max: 1, isRequired: true },
    { name: 'descending', kind: 'bool', choices: [] },
    { name: 'rule', kind: 'choice', choices: ['a', 'b'] },
  ]);
});
