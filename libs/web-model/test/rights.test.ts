import { expect, it } from 'vitest';
import { labsSeen, mayActOn, mayActSomewhere } from '../src/index.js';

const eve = {
  grants: [
    { role: 'operator' as const, lab: 'own' },
    { role: 'viewer' as const, lab: 'seen' },
  ],
};
const root = { grants: [{ role: 'operator' as const }] };

it('a person acts on what belongs to several laboratories with a role for each of them', () => {
  expect(mayActOn(eve, 'operator', ['own'])).toBe(true);
  expect(mayActOn(eve, 'operator', ['own', 'seen'])).toBe(false);
  expect(mayActOn(eve, 'viewer', ['own', 'seen'])).toBe(true);
  expect(mayActOn(eve, 'viewer', [])).toBe(false);
  expect(mayActOn(root, 'operator', [])).toBe(true);
});

it('a role for one laboratory is a role somewhere', () => {
  expect(mayActSomewhere(eve, 'submitter')).toBe(true);
  expect(mayActSomewhere(eve, 'lab_admin')).toBe(false);
  expect(mayActSomewhere(root, 'submitter')).toBe(true);
});

it('a person sees single laboratories, unless a role is for all', () => {
  expect(labsSeen(eve)).toEqual(['own', 'seen']);
  expect(labsSeen({ grants: [...eve.grants, { role: 'viewer' }] })).toBeUndefined();
  expect(labsSeen({ grants: [] })).toEqual([]);
});
