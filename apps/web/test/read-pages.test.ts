import { expect, it } from 'vitest';
import { readPages } from '../src/lab/read-pages.js';

/** A list of numbers from 0, whose pages have at most `longest` records. */
function listOf(length: number, longest: number) {
  const asked: { limit: number; cursor?: string }[] = [];
  const read = (query: { limit: number; cursor?: string }) => {
    asked.push(query);
    const start = Number(query.cursor ?? 0);
    const end = Math.min(length, start + Math.min(query.limit, longest));
    const items = Array.from({ length: end - start }, (_, index) => start + index);
    return Promise.resolve({ items, next_cursor: end < length ? String(end) : null, paused: false });
  };
  return { asked, read };
}

it('reads as many records as are wanted, in as few requests as the service allows', async () => {
  const { asked, read } = listOf(2_000, 500);
  const { items, next_cursor: next } = await readPages(read, 1_100);
  expect(items).toEqual(Array.from({ length: 1_100 }, (_, index) => index));
  expect(next).toBe('1100');
  expect(asked).toEqual([{ limit: 500 }, { limit: 500, cursor: '500' }, { limit: 100, cursor: '1000' }]);
});

it('reads on behind a page that is shorter than it was asked for', async () => {
  const { read } = listOf(70, 30);
  expect(await readPages(read, 100)).toMatchObject({ items: { length: 70 }, next_cursor: null });
});

it('keeps what the last page says beside its records', async () => {
  const { read } = listOf(3, 500);
  expect(await readPages(read, 100)).toEqual({ items: [0, 1, 2], next_cursor: null, paused: false });
});
