import type { SettingField } from '@lab/api-client';
import type { Field, FieldKind } from './fields/index.js';

const kinds: Readonly<Record<SettingField['type'], FieldKind>> = {
  checkbox: 'bool',
  number: 'float',
  text: 'str',
  select: 'choice',
};

/**
 * The settings of an optimizer that a person may change while it runs, as fields of a form.
 *
 * @param declared what the optimizer says of all its settings
 * @param values of the settings at present, by name. A setting without a value cannot be changed now
 */
export function runtimeFieldsOf(
  declared: readonly SettingField[],
  values: Readonly<Record<string, unknown>>,
): Field[] {
  return declared
    .filter(({ key, runtime }) => runtime && Object.hasOwn(values, key))
    .map(({ key, type, description = '', min, max, options = [] }) => ({
      ...{ name: key, kind: kinds[type], desc: description, unit: undefined, min, max },
      ...{ isRequired: type !== 'text', preset: undefined, isSecret: false },
      ...{ choices: type === 'select' ? options : [], elements: undefined },
    }));
}
