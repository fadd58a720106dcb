import { describe, expect, it } from 'vitest';
import { declaredFunctions, type AuthorDevice } from '../../src/hosts/author-class.js';

class Device implements AuthorDevice {
  _initialize(): void {
    return;
  }
  _cleanup(): void {
    return;
  }
  _report(): object {
    return {};
  }
}

/** A device whose class has the table. */
function withTable(table: unknown): AuthorDevice {
  class Listed extends Device {
    static svc_functions = table;
    mix(_: { volume: number }): void {
      return;
    }
    two(_a: number, _b: number): void {
      return;
    }
  }
  return new Listed();
}

describe('the table of a class without decorators', () => {
  it('declares functions with everything that a decorator can express', () => {
    const parameters = { volume: { type: 'float', unit: 'ml' } };
    const device = withTable({ mix: { kind: 'effect', timeout: 90, description: 'Mixes', parameters } });
    const [mix] = declaredFunctions(device).values();
    expect(mix).toMatchObject({
      name: 'mix',
      kind: 'effect',
      timeout_s: 90,
      description: 'Mixes',
      parameters,
    });
  });

  it('applies only to the class that contains it', () => {
    class Ancestor extends Device {
      static svc_functions = { mix: { kind: 'effect' } };
      mix(): void {
        return;
      }
    }
    class Heir extends Ancestor {
      override mix(): void {
        return;
      }
    }
    expect([...declaredFunctions(new Heir()).keys()]).toEqual([]);
    expect([...declaredFunctions(new Ancestor()).keys()]).toEqual(['mix']);
  });

  it('is refused when a device declares more than fits into a heartbeat', () => {
    class Talkative extends Device {}
    const texts = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [`p${index}`, { type: 'str', desc: 'x'.repeat(500) }]),
    );
    const table: Record<string, unknown> = {};
    for (const name of ['one', 'two', 'three']) {
      Object.defineProperty(Talkative.prototype, name, { value: () => undefined, enumerable: false });
      table[name] = { kind: 'query', parameters: texts };
    }
    Object.assign(Talkative, { svc_functions: table });
    expect(() => declaredFunctions(new Talkative())).toThrow('at most 32000 are kept of a device');
  });

  it.each<[unknown, string]>([
    [['mix'], 'svc_functions must be an object of declarations by function name'],
    [{ mixx: { kind: 'effect' } }, 'svc_functions.mixx: the class itself has no method mixx'],
    [{ _report: { kind: 'query' } }, 'svc_functions._report: the class itself has no method _report'],
    [
      { constructor: { kind: 'query' } },
      'svc_functions.constructor: the class itself has no method constructor',
    ],
    [{ mix: { kind: 'write' } }, 'svc_functions.mix.kind must be one of effect, idempotent, query'],
    [{ mix: null }, 'svc_functions.mix.kind must be one of effect, idempotent, query'],
    [{ mix: { kind: 'effect', timeout: 0 } }, 'svc_functions.mix({ timeout: 0 })'],
    [
      { mix: { kind: 'effect', parameters: { volume: { type: 'flt' } } } },
      'svc_functions.mix: parameters.volume.type is flt',
    ],
    [{ two: { kind: 'effect' } }, 'two takes 2 arguments'],
  ])('is refused when it is %o', (table, text) => {
    expect(() => declaredFunctions(withTable(table))).toThrow(text);
  });
});
