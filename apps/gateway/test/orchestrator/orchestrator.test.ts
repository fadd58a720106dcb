import {
  allLabs,
  orchestratorRequests,
  ServiceError,
  type Submitted,
  type TaskSubmission,
} from '@lab/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ScriptedRequests } from '../twins.js';
import { LeaderWatch } from '@lab/messaging';
import { Orchestrator } from '../../src/orchestrator/orchestrator.js';

/** Time is virtual: waits of seconds pass at once. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const submission: Submitted<TaskSubmission> = { name: 'rinse', type: 'rinse', rights: allLabs };
const nobody = (): never => {
  throw new ServiceError('service_unavailable', 'nobody serves it');
};
const lost = (): never => {
  throw new ServiceError('deadline_exceeded', 'no reply in time', { effect: 'maybe' });
};

function world() {
  const requests = new ScriptedRequests();
  const leaders = new LeaderWatch();
  const orchestrator = new Orchestrator(requests, leaders, { ms: 8_000 });
  leaders.hear(1);
  let made = false;
  /** The reaction of the orchestrator to each attempt. The last one applies to all further attempts. */
  const script = (...tries: (() => unknown)[]): void => {
    requests.on(orchestratorRequests.submitTask, () => {
      const act = tries.length > 1 ? tries.shift() : tries[0];
      return act?.() as { id: string; name: string };
    });
  };
  const make = (): void => void (made = true);
  const submit = (): Promise<{ outcome: unknown; afterMs: number }> => {
    const since = performance.now();
    return orchestrator
      .make(orchestratorRequests.submitTask, submission, { submissionId: 's-1', again: false }, () =>
        Promise.resolve(made),
      )
      .then(
        ({ name }) => name,
        (error: unknown) => error,
      )
      .then((outcome) => ({ outcome, afterMs: performance.now() - since }));
  };
  const tries = (): number => requests.of(orchestratorRequests.submitTask).length;
  const accept = () => (make(), { id: 'i', name: 'rinse' });
  /** The reaction of a suspended orchestrator: no answer until the caller gives up. */
  const held = (signal: AbortSignal | undefined): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () =>
        reject(new ServiceError('aborted', 'the call was aborted', { effect: 'maybe' })),
      );
    });
  return { leaders, script, make, submit, tries, accept, held, orchestrator, requests };
}

describe('a request without a leader', () => {
  it('waits for the next leader', async () => {
    const { script, submit, accept, tries } = world();
    script(nobody, nobody, nobody, accept);
    const submitted = submit();
    await vi.advanceTimersByTimeAsync(300);
    expect(await submitted).toMatchObject({ outcome: 'rinse', afterMs: 300 });
    expect(tries()).toBe(4);
  });

  it('is sent to a leader that appears while it waits', async () => {
    const { requests, leaders, submit, accept } = world();
    requests.on(orchestratorRequests.submitTask, (_body, _tokens, { signal }) => {
      if (signal?.aborted === true) throw new ServiceError('aborted', 'the call was aborted');
      return leaders.epoch === 1 ? nobody() : accept();
    });
    const submitted = submit();
    await vi.advanceTimersByTimeAsync(250);
    leaders.hear(2);
    await vi.advanceTimersByTimeAsync(100);
    expect((await submitted).outcome).toBe('rinse');
  });

  it('is refused without effect when no leader appears in time', async () => {
    const { script, submit } = world();
    script(nobody);
    const submitted = submit();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await submitted).toMatchObject({
      outcome: { code: 'service_unavailable', effect: 'none' },
      afterMs: 8_000,
    });
  });

  it('that only reads is sent to the next leader when the present one has a successor', async () => {
    const { requests, leaders, orchestrator, held } = world();
    requests.on(orchestratorRequests.listAgents, (_body, _tokens, { signal }) =>
      leaders.epoch === 1 ? held(signal) : { agents: [] },
    );
    const read = orchestrator.ask(orchestratorRequests.listAgents, {});
    await vi.advanceTimersByTimeAsync(1_000);
    leaders.hear(2);
    expect(await read).toEqual({ agents: [] });
    expect(requests.of(orchestratorRequests.listAgents)).toHaveLength(2);
  });

  it('that acts does not wait for a leader that has a successor, and is not repeated', async () => {
    const { requests, leaders, orchestrator, held } = world();
    requests.on(orchestratorRequests.resumeCampaign, (_body, _tokens, { signal }) => held(signal));
    const resumed = orchestrator.ask(orchestratorRequests.resumeCampaign, {
      name: 'a',
      by: 'ada',
      rights: allLabs,
    });
    const refused = expect(resumed).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'maybe',
      message: expect.stringMatching(/^Another orchestrator has taken over. Read the record/) as string,
    });
    await vi.advanceTimersByTimeAsync(1_000);
    leaders.hear(2);
    await refused;
    expect(requests.of(orchestratorRequests.resumeCampaign)).toHaveLength(1);
  });

  it('is not repeated after an answer, or when it may have been carried out', async () => {
    const { orchestrator, requests } = world();
    for (const code of ['wrong_state', 'store_unavailable'] as const) {
      requests.on(orchestratorRequests.cancelTask, () => {
        throw new ServiceError(code, 'no');
      });
      await expect(orchestrator.ask(orchestratorRequests.cancelTask, { name: 'a' })).rejects.toMatchObject({
        code,
      });
    }
    requests.on(orchestratorRequests.cancelTask, lost);
    await expect(orchestrator.ask(orchestratorRequests.cancelTask, { name: 'a' })).rejects.toMatchObject({
      code: 'deadline_exceeded',
      effect: 'maybe',
    });
    expect(requests.of(orchestratorRequests.cancelTask)).toHaveLength(3);
  });
});

describe('a submission with a lost answer', () => {
  it('finds its record and is not repeated', async () => {
    const { script, submit, make, tries } = world();
    script(() => (make(), lost()));
    expect((await submit()).outcome).toBe('rinse');
    expect(tries()).toBe(1);
  });

  it('is not repeated while the first orchestrator may still carry it out', async () => {
    const { script, submit, make, tries, accept } = world();
    script(lost, accept);
    const submitted = submit();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(tries()).toBe(1);
    make();
    await vi.advanceTimersByTimeAsync(200);
    expect((await submitted).outcome).toBe('rinse');
    expect(tries()).toBe(1);
  });

  it('is in doubt when neither the first orchestrator nor another leader appears in time', async () => {
    const { script, submit } = world();
    script(lost);
    const submitted = submit();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await submitted).outcome).toMatchObject({ code: 'deadline_exceeded', effect: 'maybe' });
  });

  it('is sent to the next leader when its record does not exist', async () => {
    const { script, submit, leaders, tries, accept } = world();
    script(lost, nobody, accept);
    const submitted = submit();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(tries()).toBe(1);
    leaders.hear(2);
    await vi.advanceTimersByTimeAsync(300);
    expect((await submitted).outcome).toBe('rinse');
    expect(tries()).toBe(3);
  });

  it('that finds its own name taken reports success, and one that was never in doubt reports the duplicate', async () => {
    const { script, submit, make, leaders } = world();
    const taken = (): never => {
      throw new ServiceError('duplicate_name', 'taken');
    };
    script(taken);
    make();
    expect((await submit()).outcome).toMatchObject({ code: 'duplicate_name' });

    const second = world();
    second.script(lost, () => (second.make(), taken()));
    const submitted = second.submit();
    second.leaders.hear(2);
    await vi.advanceTimersByTimeAsync(300);
    expect((await submitted).outcome).toBe('rinse');
    expect(leaders.epoch).toBe(1);
  });

  it('does not wait for a leader that has a successor', async () => {
    const { requests, leaders, submit, accept, tries, held } = world();
    let asked = 0;
    requests.on(orchestratorRequests.submitTask, (_body, _tokens, { signal }) => {
      asked += 1;
      return asked > 1 ? accept() : held(signal);
    });
    const submitted = submit();
    await vi.advanceTimersByTimeAsync(1_000);
    leaders.hear(2);
    await vi.advanceTimersByTimeAsync(200);
    expect((await submitted).outcome).toBe('rinse');
    expect(tries()).toBe(2);
  });
});
