import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Deadlines } from '../../src/turn/deadlines.js';

it('the earliest deadline is known after any sequence of changes', () => {
  const act = fc.oneof(
    fc.record({ do: fc.constant('set' as const), id: fc.nat(30), at: fc.nat(20) }),
    fc.record({ do: fc.constant('delete' as const), id: fc.nat(30), at: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 300 }), (acts) => {
      const deadlines = new Deadlines();
      const plain = new Map<string, number>();
      const first = () =>
        [...plain]
          .map(([id, at]) => ({ id, at }))
          .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
          .at(0);
      for (const { do: what, id, at } of acts) {
        const name = `t${id}`;
        if (what === 'set') {
          deadlines.set(name, at);
          plain.set(name, at);
        } else {
          deadlines.delete(name);
          plain.delete(name);
        }
        expect(deadlines.first()).toEqual(first());
      }
      while (plain.size > 0) {
        const next = deadlines.first();
        expect(next).toEqual(first());
        deadlines.delete(next?.id ?? '');
        plain.delete(next?.id ?? '');
      }
      expect(deadlines.first()).toBeUndefined();
    }),
  );
});
