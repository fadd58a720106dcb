import type { DeviceFunction } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { checkArguments } from '../src/check-arguments.js';

const dose: DeviceFunction = {
  name: 'dose',
  kind: 'effect',
  parameters: {
    volume: { type: 'float', unit: 'ml', min: 0, max: 10 },
    fast: { type: 'bool', value: false },
    note: { type: 'str', optional: true },
    purposes: { type: 'list', element_type: 'str', optional: true },
  },
};

const codes = (given: Parameters<typeof checkArguments>[1]): string[] =>
  checkArguments(dose, given).faults.map(({ path, code }) => `${path} ${code}`);

describe('the arguments of a device call', () => {
  it('get defaults, and omitted optional parameters stay absent', () => {
    expect(checkArguments(dose, { volume: 3 })).toEqual({ values: { volume: 3, fast: false }, faults: [] });
    expect(checkArguments(dose, { volume: 3, fast: true, note: 'n' }).values).toEqual({
      volume: 3,
      fast: true,
      note: 'n',
    });
  });

  it('are refused with all their faults, each with its path', () => {
    expect(codes({ volum: 3, fast: 1, note: null, purposes: ['a', 2] })).toEqual([
      'arguments.volum unknown_parameter',
      'arguments.volume missing_parameter',
      'arguments.fast type',
      'arguments.note type',
      'arguments.purposes[1] type',
    ]);
    expect(codes({ volume: 11 })).toEqual(['arguments.volume above_max']);
    expect(codes({ volume: -1 })).toEqual(['arguments.volume below_min']);
  });

  it('are refused with a suggestion when a name is mistyped', () => {
    expect(checkArguments(dose, { volum: 3 }).faults[0]?.hint).toContain('volume');
  });

  it('are empty for a function without parameters', () => {
    const home: DeviceFunction = { name: 'home', kind: 'effect', parameters: {} };
    expect(checkArguments(home, {})).toEqual({ values: {}, faults: [] });
    expect(checkArguments(home, { to: 1 }).faults).toHaveLength(1);
  });

  it('may be anything for a function that declares no parameters', () => {
    const given = { anything: [1, null] };
    expect(checkArguments({ name: 'f', kind: 'query' }, given)).toEqual({ values: given, faults: [] });
  });
});
