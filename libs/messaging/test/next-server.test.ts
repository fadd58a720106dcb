import type { Server } from '@nats-io/nats-core';
import { describe, expect, it } from 'vitest';
import { serverInTurn } from '../src/next-server.js';

const server = (listen: string, lastConnect: number): Server => ({
  ...{ listen, lastConnect, src: listen, hostname: listen, tlsName: '', port: 4222 },
  ...{ reconnects: 0, gossiped: false, didConnect: false },
});

describe('the server for the next attempt to connect', () => {
  it('is first the one that the client prefers', () => {
    expect(serverInTurn()([server('b', 0), server('a', 0), server('c', 0)])?.listen).toBe('b');
  });

  it('is not the one whose connection was lost, and in turn each other one before it', () => {
    const tried: Record<string, number> = { a: 0, b: 0, c: 0 };
    const next = serverInTurn();
    const order = Array.from({ length: 7 }, (_, at) => {
      const chosen = next(Object.entries(tried).map(([listen, lastConnect]) => server(listen, lastConnect)));
      tried[chosen?.listen ?? ''] = at + 1;
      return chosen?.listen;
    });
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a']);
  });

  it('is the only one, again and again', () => {
    const next = serverInTurn();
    expect([1, 2, 3].map((at) => next([server('a', at)])?.listen)).toEqual(['a', 'a', 'a']);
  });

  it('is left to the client that knows none', () => {
    expect(serverInTurn()([])).toBeNull();
  });
});
