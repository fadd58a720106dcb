import { expect, it, vi } from 'vitest';
import { Repeats } from '../src/repeats.js';

function setUp() {
  let forget = (): void => undefined;
  const repeats = new Repeats({
    after: (_ms, callback) => {
      forget = callback;
      return () => undefined;
    },
  });
  return { repeats, forget: () => forget() };
}

it('a repeated request joins the running one, or gets its answer', async () => {
  const { repeats, forget } = setUp();
  let finish = (_answer: number): void => undefined;
  const work = vi.fn(() => new Promise<number>((resolve) => (finish = resolve)));
  const first = repeats.join('a', work);
  const second = repeats.join('a', work);
  finish(3);
  expect(await Promise.all([first, second, repeats.join('a', work)])).toEqual([3, 3, 3]);
  expect(work).toHaveBeenCalledTimes(1);
  forget();
  void repeats.join('a', work);
  expect(work).toHaveBeenCalledTimes(2);
});

it('a repeated request gets the error of the first one, and requests with other ids are independent', async () => {
  const { repeats } = setUp();
  const fail = vi.fn(() => Promise.reject(new Error('no')));
  await expect(repeats.join('a', fail)).rejects.toThrow('no');
  await expect(repeats.join('a', fail)).rejects.toThrow('no');
  expect(fail).toHaveBeenCalledTimes(1);
  await expect(repeats.join('b', () => Promise.resolve(1))).resolves.toBe(1);
});
