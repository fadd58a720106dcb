import type { ValidationError } from 'class-validator';

/** Rules that ask for a type. The other rules of a field say nothing useful about a value of another type. */
const typeRules = new Set(['isString', 'isInt', 'isNumber', 'isBoolean', 'isObject', 'isArray']);

/** The rules that a field breaks, with their messages. A missing field and a wrong type hide the other rules. */
export function brokenRules({
  property,
  value,
  constraints = {},
}: ValidationError): [rule: string, message: string][] {
  const all = Object.entries(constraints);
  const isUnknown = Object.hasOwn(constraints, 'whitelistValidation');
  if (all.length > 0 && value === undefined && !isUnknown)
    return [['missing_field', `${property} is missing`]];
  const type = all.find(([rule]) => typeRules.has(rule));
  return type === undefined ? all : [type];
}
