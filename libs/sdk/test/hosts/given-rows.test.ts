import { describe, expect, it } from 'vitest';
import type { AuthorOptimizer } from '../../src/hosts/author-optimizer.js';
import { refuseForeignRows } from '../../src/hosts/given-rows.js';
import { Unfit } from '../../src/hosts/optimizer-refusal.js';

const inputs = ['mix.cyan', 'mix.speed'];

/** An optimizer that accepts the rows for which `holds` does not throw. */
function optimizer(holds: (row: Record<string, unknown>) => void): {
  told: object[];
  asked: AuthorOptimizer;
} {
  const told: object[] = [];
  const asked = {
    report_started: ([row]: object[]) => {
      told.push(row as object);
      holds(row as Record<string, unknown>);
    },
  } as unknown as AuthorOptimizer;
  return { told, asked };
}

function invalid(path: string): Error {
  const faults = [{ path, code: 'bounds', message: 'it lies outside [0, 5]', hint: 'Give less' }];
  return Object.assign(new Error('the inputs are invalid'), {
    name: 'ServiceError',
    code: 'invalid',
    faults,
  });
}

const refusal = (act: Promise<void>): Promise<unknown> =>
  act.then(
    () => expect.fail('nothing was refused'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(Unfit);
      return (error as Unfit).faults;
    },
  );

describe('given rows', () => {
  it('are passed to the optimizer when they hold all inputs and only the inputs', async () => {
    const { told, asked } = optimizer(() => undefined);
    await refuseForeignRows(asked, inputs, [
      { mix: { cyan: 1, speed: 2, other: 3 }, score: { target: 4 } },
      { mix: { cyan: 1 } },
      {},
      { mix: { cyan: [1], speed: 2 } },
      { mix: { cyan: 0, speed: 'fast' } },
    ]);
    expect(told).toEqual([
      { 'mix.cyan': 1, 'mix.speed': 2 },
      { 'mix.cyan': 0, 'mix.speed': 'fast' },
    ]);
  });

  it('are refused by row and input, or by the row alone', async () => {
    const { asked } = optimizer((row) => {
      if (row['mix.cyan'] === 9) throw invalid('inputs[0].mix.cyan');
      if (row['mix.cyan'] === 8) throw invalid('inputs[0].constraints[1]');
      if (row['mix.cyan'] === 7) throw new Error('not seven');
    });
    const rows = [1, 9, 8, 7].map((cyan) => ({ mix: { cyan, speed: 1 } }));
    const more = { code: 'bounds', message: 'it lies outside [0, 5]', hint: 'Give less' };
    expect(await refusal(refuseForeignRows(asked, inputs, rows))).toEqual([
      { path: 'given[1].mix.cyan', ...more },
      { path: 'given[2]', ...more },
      { path: 'given[3]', code: 'refused', message: 'not seven' },
    ]);
  });

  it('are all accepted by an optimizer that does not check them', async () => {
    await refuseForeignRows({} as AuthorOptimizer, inputs, [{ mix: { cyan: 1, speed: 2 } }]);
  });

  it('lead to at most a hundred faults', async () => {
    const { told, asked } = optimizer(() => {
      throw new Error('no');
    });
    const rows = Array.from({ length: 500 }, () => ({ mix: { cyan: 1, speed: 1 } }));
    expect(await refusal(refuseForeignRows(asked, inputs, rows))).toHaveLength(100);
    expect(told).toHaveLength(100);
  });
});
