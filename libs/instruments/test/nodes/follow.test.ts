import { NotBegun } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import { follow } from '../../src/nodes/follow.js';
import { PeerError } from '../../src/nodes/link.js';

/** Follows work whose answers are listed. */
async function followed(
  answers: (string | Error)[],
): Promise<{ end: unknown; seen: string[]; silent: (string | null)[] }> {
  const seen: string[] = [];
  const silent: (string | null)[] = [];
  const end = await follow({
    ask: () => {
      const answer = answers.shift() ?? 'done';
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    isOver: (state) => state === 'done',
    everyMs: 1,
    seen: (state) => void seen.push(state),
    silent: (why) => void silent.push(why),
  }).catch((error: unknown) => error);
  return { end, seen, silent };
}

const cut = (): PeerError => new PeerError('cut', true);

describe('work that another system carries out', () => {
  it('is followed to its end, over failures of the connection', async () => {
    const { end, seen, silent } = await followed(['running', cut(), cut(), cut(), 'running', 'done']);
    expect([end, seen]).toEqual(['done', ['running', 'running']]);
    expect(silent).toEqual(['cut', null]);
  });

  it('is asked about later when the system has too many requests or a fault of its own', async () => {
    const { end, silent } = await followed([
      new PeerError('429', true, 429),
      new PeerError('500', true, 500),
    ]);
    expect([end, silent]).toEqual(['done', ['500', null]]);
  });

  it('is not followed when the system refuses the question, or the recording does not have it', async () => {
    const refusal = new PeerError('unknown', true, 404);
    expect(await followed(['running', refusal])).toMatchObject({ end: refusal, silent: [] });
    const unrecorded = new NotBegun('the recording has no further request');
    expect(await followed(['running', unrecorded])).toMatchObject({ end: unrecorded, silent: [] });
  });
});
