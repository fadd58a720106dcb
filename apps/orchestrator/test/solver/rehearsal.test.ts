import { describe, expect, it } from 'vitest';
import { rehearse } from '../../src/solver/rehearsal.js';

const unwanted = (message: string, fields: unknown): never =>
  expect.fail(`${message} ${JSON.stringify(fields)}`);
const log = { info: unwanted, warn: unwanted, error: unwanted };

describe('the rehearsal of planning', () => {
  it('ends, and every plan in it is sound', async () => {
    await rehearse(log).done;
  });

  it('ends on request', async () => {
    const rehearsal = rehearse(log);
    rehearsal.cancel();
    await rehearsal.done;
  });
});
