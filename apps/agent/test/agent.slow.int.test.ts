import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  agentEvents,
  agentRequests,
  isServiceError,
  orchestratorEvents,
  type JsonValue,
} from '@lab/contracts';
import { startNats } from '@lab/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { languages, Lab } from './lab.js';

describe.each(languages)('with code in $language', ({ language, code }) => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await Lab.open(undefined, undefined, code);
  });
  afterEach(async () => {
    await lab.close();
  });

  async function call(
    name: string,
    args: Record<string, JsonValue> = {},
    computer = 'svc_computer',
  ): Promise<unknown> {
    const address = { computer, inc: String(lab.inc(computer)), lab: 'lab', device: 'arm' };
    const call_id = randomUUID();
    for (;;) {
      const { now_ms: as_of_ms } = await lab.bus.request(agentRequests.readClock, address, {});
      const body = { call_id, function: name, arguments: args, as_of_ms };
      try {
        return (await lab.bus.request(agentRequests.callDevice, address, body)).result;
      } catch (error) {
        // On a busy machine the call may be on its way for too long. Every caller then sends it with a new reading.
        if (!isServiceError(error) || error.code !== 'late_message') throw error;
      }
    }
  }

  /** A person settles the doubt of the arm. */
  async function reset(doubtId?: string): Promise<void> {
    const known = (): string | undefined => lab.latest('arm')?.doubt?.id;
    await lab.until('its doubt is told', () => known() !== undefined);
    const address = { computer: 'svc_computer', inc: String(lab.inc()), lab: 'lab', device: 'arm' };
    await lab.bus.request(agentRequests.resetDevice, address, {
      doubt_id: doubtId ?? known() ?? null,
      by: 'ann',
    });
  }

  /** Waits until the arm moves: a busy device may still be recording the start of its effect. */
  function moving(trace: string): Promise<void> {
    return lab.until(
      'the arm moves',
      () => existsSync(trace) && readFileSync(trace, 'utf8').includes('move'),
    );
  }

  function isAlive(pid: number): boolean {
    try {
      process.kill(pid, 0);
      // A zombie still takes signals, but runs nothing.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch (error) {
      expect(['ESRCH', 'ENOENT']).toContain((error as NodeJS.ErrnoException).code);
      return false;
    }
  }

  describe('an agent with its devices and tasks as real processes', () => {
    it('registers, initialises its devices and lets a task call them', async () => {
      lab.assigned.set('svc_computer', [lab.device('arm'), lab.device('leg', { refuse: 'no such port' })]);
      const agent = await lab.agent();
      await lab.deviceIs('arm', 'idle');
      await lab.deviceIs('leg', 'faulted');
      expect(lab.changes.filter((change) => change.name === 'leg').at(-1)?.detail).toMatch(/^no such port/);
      expect(
        await lab.run(
          { mode: 'call', function: 'move', args: { to: 'a3' } },
          { arm: {}, label: 'run_1/mix' },
        ),
      ).toMatchObject({ kind: 'completed', output_parameters: { said: { at: 'a3' } } });
      const logged = agent.lines.map(
        (line) => JSON.parse(line) as { msg: string; task?: string; device?: string },
      );
      expect(logged).toContainEqual(expect.objectContaining({ msg: 'doing call', task: 'run_1/mix' }));
      expect(logged).toContainEqual(expect.objectContaining({ msg: 'arm is ready', device: 'lab.arm' }));
    });

    it('answers calls and status requests of people, and hides its settings from the code of authors', async () => {
      lab.assigned.set('svc_computer', [lab.device('arm')]);
      await lab.agent();
      await lab.deviceIs('arm', 'idle');
      expect(await call('move', { to: 'home' })).toEqual({ at: 'home' });
      expect(await call('secrets')).toEqual([]);
      await expect(call('fly')).rejects.toMatchObject({ code: 'unknown_function', effect: 'none' });
      await expect(call('fail', { why: 'it is stuck' })).rejects.toMatchObject({
        code: 'device_error',
        message: 'it is stuck',
        effect: 'maybe',
      });
      const { report } = await lab.bus.request(
        agentRequests.reportDevice,
        { computer: 'svc_computer', inc: '1', lab: 'lab', device: 'arm' },
        {},
      );
      expect(report).toEqual({ pid: await call('where') });
    });

    it('lets a task call a device of another agent', async () => {
      lab.assigned.set('bench_b', [lab.device('arm')]);
      await Promise.all([lab.agent(), lab.agent('bench_b')]);
      await lab.deviceIs('arm', 'idle');
      const outcome = await lab.run(
        { mode: 'call', function: 'where', args: {} },
        { arm: { computer: 'bench_b' } },
      );
      expect(outcome).toMatchObject({ output_parameters: { said: await call('where', {}, 'bench_b') } });
      expect(
        await lab.run(
          { mode: 'call', function: 'fail', args: { why: 'far away' } },
          { arm: { computer: 'bench_b' } },
        ),
      ).toMatchObject({
        kind: 'failed',
        code: 'device_error',
        error: { message: expect.stringContaining('far away') as string },
      });
    });

    it('cannot know the end of a task whose device died, and keeps the device uncertain until a person resets it', async () => {
      lab.assigned.set('svc_computer', [lab.device('arm')]);
      await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const before = await call('where');
      const outcome = await lab.run({ mode: 'call', function: 'die', args: {} }, { arm: {} });
      expect(outcome).toMatchObject({
        kind: 'unknown',
        detail: expect.stringMatching(/exit code 7.* took effect is not known/) as string,
      });
      await lab.deviceIs('arm', 'uncertain');
      await expect(call('where')).rejects.toMatchObject({ code: 'device_unavailable', effect: 'none' });
      await expect(reset('another')).rejects.toMatchObject({ code: 'wrong_state' });
      await reset();
      await lab.deviceIs('arm', 'idle');
      expect(await call('where')).not.toBe(before);
    });

    it('reports the error that an author threw, and the end of a task process', async () => {
      await lab.agent();
      expect(await lab.run({ mode: 'throw', why: 'no more cyan' })).toMatchObject({
        kind: 'failed',
        code: 'task_error',
        error: { message: 'no more cyan' },
      });
      expect(await lab.run({ mode: 'die' })).toMatchObject({
        kind: 'failed',
        code: 'task_process_died',
        error: { message: expect.stringContaining('exit code 3') as string },
      });
    });

    it('ends the process of a task in a thread that dies, and runs the next one', async () => {
      await lab.agent();
      expect(await lab.run({ mode: 'die' }, { isolation: 'thread' })).toMatchObject({
        code: 'task_process_died',
        error: { message: expect.stringContaining('exit code 3') as string },
      });
      expect(await lab.run({ mode: 'file', size: 3 }, { isolation: 'thread' })).toMatchObject({
        kind: 'completed',
      });
    });

    it('stores files before it reports', async () => {
      await lab.agent();
      const task = lab.task({ mode: 'file', size: 3_000_000 });
      await lab.start(task);
      expect(await lab.outcome(task.attempt_id)).toMatchObject({
        kind: 'completed',
        files: [{ name: 'picture.bin', size: 3_000_000 }],
      });
      expect(lab.stored.get(`/${task.attempt_id}/picture.bin`)?.equals(Buffer.alloc(3_000_000, 7))).toBe(
        true,
      );
    });

    it('stops a cancelled task', async () => {
      await lab.agent();
      const task = lab.task({ mode: 'wait', ms: 60_000 });
      await lab.start(task);
      const { status } = await lab.bus.request(
        agentRequests.cancelTask,
        { computer: 'svc_computer', inc: '1' },
        { attempt_id: task.attempt_id, reason: 'not needed' },
      );
      expect(status).toBe('cancelling');
      expect(await lab.outcome(task.attempt_id)).toEqual({ kind: 'cancelled' });
    });

    it('aborts a call at the timeout that its function declares', async () => {
      lab.assigned.set('svc_computer', [lab.device('arm')]);
      await lab.agent();
      await lab.deviceIs('arm', 'idle');
      expect(await call('brief', { ms: 0 })).toBe('in time');
      await expect(call('brief', { ms: 60_000 })).rejects.toMatchObject({
        code: 'deadline_exceeded',
        effect: 'maybe',
        message: 'brief of device lab.arm did not end within 0.5 s',
      });
      await lab.deviceIs('arm', 'uncertain');
      await reset();
      await lab.deviceIs('arm', 'idle');
      const functions = lab.changes.filter((change) => change.name === 'arm').at(-1)?.functions;
      expect(functions).toContainEqual({ name: 'brief', kind: 'effect', timeout_s: 0.5 });
      expect(functions).toContainEqual({ name: 'move', kind: 'effect' });
    });

    it('is ready only when its devices are usable or faulted', async () => {
      lab.assigned.set('svc_computer', [lab.device('arm'), lab.device('leg', { refuse: 'no such port' })]);
      const agent = lab.launch('svc_computer');
      await once(agent.child, 'message');
      expect(await call('where')).toEqual(expect.any(Number));
      await lab.deviceIs('leg', 'faulted');
    });

    it('refuses code whose hash differs from the requested one', async () => {
      lab.modules.set(code.arm.reference.hash, { ...code.arm, text: `${code.arm.text} // changed` });
      lab.assigned.set('svc_computer', [lab.device('arm')]);
      lab.launch('svc_computer');
      await lab.until('it restarts', () =>
        lab.changes.some((change) => change.detail?.includes('has the hash') === true),
      );
    });
  });

  describe('when something fails', () => {
    it('a killed agent leaves no process behind, and the next agent reports its task as unknown', async () => {
      lab.assigned.set('svc_computer', [lab.device('arm')]);
      const first = await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const device = (await call('where')) as number;
      const task = lab.task({ mode: 'wait', ms: 60_000 });
      await lab.start(task);
      await lab.until('it runs', () => first.lines.some((line) => line.includes('doing wait')));
      first.child.kill('SIGKILL');
      await first.gone;
      await lab.until('the device is gone', () => !isAlive(device));
      await lab.agent();
      expect(await lab.outcome(task.attempt_id)).toMatchObject({ kind: 'unknown' });
      expect(lab.inc()).toBe(2);
      expect(lab.hellos.at(-1)?.attempts).toEqual([{ attempt_id: task.attempt_id, status: 'ended' }]);
    });

    it('an agent that was killed while it fetched an input file has not begun the task, and the next one continues', async () => {
      const bytes = Buffer.from(`${'number\n'.repeat(100_000)}the end`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const file = { name: 'raw.csv', size: bytes.length, sha256, task_run_id: 't1', attempt: 1 };
      const asked: number[] = [];
      lab.fetched = (request, response) => {
        const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
        asked.push(from);
        const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
        response.writeHead(from === 0 ? 200 : 206, from === 0 ? {} : range);
        // The first fetch never gets its remaining bytes.
        if (asked.length === 1) response.write(bytes.subarray(0, 400_000));
        else response.end(bytes.subarray(from));
      };
      const first = await lab.agent();
      const task = lab.task({ mode: 'read' }, { files: { raw: file } });
      await lab.start(task);
      const partial = join(lab.dataDir, 'agents', 'svc_computer', 'inputs', `${sha256}.part`);
      await lab.until('a part is there', () => existsSync(partial) && statSync(partial).size === 400_000);
      first.child.kill('SIGKILL');
      await first.gone;
      await lab.agent();
      expect(lab.hellos.at(-1)?.attempts).toEqual([{ attempt_id: task.attempt_id, status: 'unknown' }]);
      expect(await lab.run({ mode: 'read' }, { files: { raw: file } })).toMatchObject({
        kind: 'completed',
        output_parameters: { text: 'he end', ending: '.csv' },
      });
      expect(asked).toEqual([0, 400_000]);
    });

    it('an agent never starts a device while the process of the agent before it still runs', async () => {
      const trace = join(lab.dataDir, 'trace');
      lab.assigned.set('svc_computer', [lab.device('arm', { trace })]);
      const first = await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const old = (await call('where')) as number;
      // A driver that hangs notices neither the end of its agent nor SIGTERM.
      const lost = expect(call('hang')).rejects.toMatchObject({ effect: 'maybe' });
      await moving(trace);
      first.child.kill('SIGKILL');
      await first.gone;
      const second = await lab.agent();
      expect(isAlive(old)).toBe(false);
      await lab.deviceIs('arm', 'uncertain');
      expect(lab.latest('arm')?.detail).toContain('the agent ended during hang');
      // A host in Python notices it although its code hangs, and may have ended by itself.
      if (language === 'TypeScript')
        expect(second.lines.some((line) => line.includes('killing a device process'))).toBe(true);
      await lab.bus.close();
      await lost;
    });

    it('a call to a killed agent ends when the next agent registers, and its effect is unknown', async () => {
      lab.assigned.set('bench_b', [lab.device('arm')]);
      const [, far] = await Promise.all([lab.agent(), lab.agent('bench_b')]);
      await lab.deviceIs('arm', 'idle');
      const task = lab.task(
        { mode: 'call', function: 'move', args: { to: 'a3', ms: 50_000 } },
        { arm: { computer: 'bench_b' } },
      );
      await lab.start(task);
      await lab.deviceIs('arm', 'busy');
      far.child.kill('SIGKILL');
      await far.gone;
      await lab.agent('bench_b');
      expect(await lab.outcome(task.attempt_id, 10_000)).toMatchObject({
        kind: 'unknown',
        detail: expect.stringContaining('move of device') as string,
      });
    });

    it('a lost broker stops no task, and the result arrives when the broker is back', async () => {
      await lab.close();
      const nats = await startNats({ login: 'lab:lab' });
      lab = await Lab.open(nats);
      const agent = await lab.agent();
      // The code is available from now on.
      await lab.run({ mode: 'wait', ms: 0 });
      const task = lab.task({ mode: 'wait', ms: 1_000 });
      await lab.start(task);
      await nats.stop();
      await lab.until('it ends without a broker', () =>
        agent.lines.some((line) => line.includes('not acknowledged')),
      );
      await nats.restart();
      expect(await lab.outcome(task.attempt_id)).toMatchObject({ kind: 'completed' });
      expect(lab.inc()).toBe(1);
    });

    it('the agent reports an unacknowledged result again, also from the next agent process', async () => {
      const first = await lab.agent();
      lab.acknowledging = false;
      const task = lab.task({ mode: 'wait', ms: 0 });
      await lab.start(task);
      await lab.until('it tries', () => first.lines.some((line) => line.includes('not acknowledged')));
      first.child.kill('SIGKILL');
      await first.gone;
      lab.acknowledging = true;
      await lab.agent();
      expect(await lab.outcome(task.attempt_id)).toMatchObject({
        kind: 'completed',
        output_parameters: { waited: 0 },
      });
      expect(lab.results).toHaveLength(1);
    });

    it('a second agent for the same computer ends with one sentence', async () => {
      await lab.agent();
      const second = lab.launch('svc_computer');
      expect((await second.gone)[0]).toBe(1);
      expect(second.lines.join('\n')).toContain('an agent for svc_computer runs already');
    });
  });

  describe('a device in an unknown state', () => {
    it('continues after its process was killed in the middle of an effect when its driver says that it is idle', async () => {
      const { device, trace, parked } = lab.steadyArm();
      lab.assigned.set('svc_computer', [device]);
      await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const lost = expect(call('move')).rejects.toMatchObject({ code: 'device_error', effect: 'maybe' });
      await moving(trace);
      writeFileSync(parked, '');
      process.kill((await call('where')) as number, 'SIGKILL');
      await lost;
      await lab.deviceIs('arm', 'idle');
      expect(readFileSync(trace, 'utf8')).toBe('initialize\nmove\nasked for move\ninitialize\n');
    });

    it('leads to a question when its agent was killed, and is initialised only after an answer', async () => {
      const { device, trace, parked } = lab.steadyArm();
      lab.assigned.set('svc_computer', [device]);
      const first = await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const task = lab.task({ mode: 'call', function: 'move', args: {} }, { arm: {} });
      await lab.start(task);
      await moving(trace);
      first.child.kill('SIGKILL');
      await first.gone;
      const second = await lab.agent();
      const says = 'not idle: the brake is off';
      await lab.until('it has answered', () => lab.latest('arm')?.detail?.includes(says) === true);
      expect(lab.latest('arm')).toMatchObject({
        state: 'uncertain',
        doubt: { in_doubt: [{ function: 'move', attempt_id: task.attempt_id }] },
      });
      expect(await lab.outcome(task.attempt_id)).toMatchObject({ kind: 'unknown' });
      // The next agent process finds the same doubt, and its driver gives another answer.
      second.child.kill('SIGKILL');
      await second.gone;
      writeFileSync(parked, '');
      await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const lines = readFileSync(trace, 'utf8').split('\n');
      expect(lines.filter((line) => !line.startsWith('stop'))).toEqual([
        'initialize',
        'move',
        'asked for move',
        'asked for move',
        'initialize',
        '',
      ]);
    });

    it('is stopped at once when the task that moves it is cancelled', async () => {
      const { device, trace } = lab.steadyArm();
      lab.assigned.set('svc_computer', [device]);
      await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const task = lab.task({ mode: 'call', function: 'move', args: {} }, { arm: {} });
      await lab.start(task);
      await moving(trace);
      const address = { computer: 'svc_computer', inc: '1' };
      await lab.bus.request(agentRequests.cancelTask, address, {
        attempt_id: task.attempt_id,
        reason: 'enough',
      });
      expect(await lab.outcome(task.attempt_id)).toEqual({ kind: 'cancelled' });
      await lab.deviceIs('arm', 'idle');
      expect(readFileSync(trace, 'utf8')).toBe('initialize\nmove\nstop: enough\n');
    });

    it('obeys an emergency stop, also after its agent was killed, until the stop is released', async () => {
      const { device, trace } = lab.steadyArm();
      lab.assigned.set('svc_computer', [device]);
      const first = await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const lost = expect(call('move')).rejects.toMatchObject({ message: 'stopped' });
      await moving(trace);
      const halt = { id: 'halt-1', scope: 'lab:lab', by: 'ann', reason: 'a hand is in it' };
      lab.bus.publish(agentEvents.emergencyStop, {}, halt);
      await lost;
      await expect(call('move')).rejects.toMatchObject({
        code: 'device_unavailable',
        message: expect.stringContaining('stopped by ann: a hand is in it') as string,
      });
      // The ledger records in order: when a later task is durable, the stop is durable too.
      await lab.run({ mode: 'wait', ms: 0 });
      first.child.kill('SIGKILL');
      await first.gone;
      await lab.agent();
      await lab.deviceIs('arm', 'disabled');
      expect(lab.latest('arm')?.halted).toBe('stopped by ann: a hand is in it');
      expect(lab.hellos.at(-1)?.halts).toEqual([halt]);
      const leading = { epoch: 1, instance: 'stand-in', halts: [], released: ['halt-1'] };
      lab.bus.publish(orchestratorEvents.leading, {}, leading);
      await lab.deviceIs('arm', 'idle');
      const lines = readFileSync(trace, 'utf8').trim().split('\n');
      expect(lines).toEqual(['initialize', 'move', 'stop: stopped by ann: a hand is in it', 'initialize']);
    });

    it('is ended when it writes anything else to its channel, and its agent survives', async () => {
      lab.assigned.set('svc_computer', [lab.device('arm')]);
      const agent = await lab.agent();
      await lab.deviceIs('arm', 'idle');
      await expect(call('scribble')).rejects.toMatchObject({
        code: 'device_error',
        effect: 'maybe',
        message: expect.stringContaining('it violated the protocol') as string,
      });
      await lab.deviceIs('arm', 'uncertain');
      expect(agent.child.exitCode).toBeNull();
      expect(await lab.run({ mode: 'wait', ms: 0 })).toMatchObject({ kind: 'completed' });
    });
  });

  describe('a stopping agent', () => {
    it('lets an interrupted device clean up', async () => {
      const trace = join(lab.dataDir, 'trace');
      lab.assigned.set('svc_computer', [lab.device('arm', { trace })]);
      const agent = await lab.agent();
      const task = lab.task(
        { mode: 'call', function: 'move', args: { to: 'a3', ms: 60_000 } },
        { arm: {}, label: 'far' },
      );
      await lab.start(task);
      await moving(trace);
      agent.child.kill('SIGTERM');
      expect(await agent.gone).toEqual([0, null]);
      expect(readFileSync(trace, 'utf8')).toMatch(/^move a3\ncleaned up\n/);
    });

    it('leaves a device parked that got the same SIGTERM, as from a service manager', async () => {
      const { device, trace } = lab.steadyArm({ parks: true });
      lab.assigned.set('svc_computer', [device]);
      const agent = await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const task = lab.task({ mode: 'wait', ms: 60_000 });
      await lab.start(task);
      await lab.until('it runs', () => agent.lines.some((line) => line.includes('doing wait')));
      const arm = (await call('where')) as number;
      for (const pid of [agent.child.pid ?? 0, arm]) process.kill(pid, 'SIGTERM');
      expect(await agent.gone).toEqual([0, null]);
      expect(readFileSync(trace, 'utf8')).toBe('initialize\npark\n');
    });

    it('announces that it leaves, ends and reports its tasks, cleans up its devices and exits with 0', async () => {
      const trace = join(lab.dataDir, 'trace');
      lab.assigned.set('svc_computer', [lab.device('arm', { trace })]);
      const agent = await lab.agent();
      await lab.deviceIs('arm', 'idle');
      const task = lab.task({ mode: 'wait', ms: 60_000 });
      await lab.start(task);
      await lab.until('it runs', () => agent.lines.some((line) => line.includes('doing wait')));
      agent.child.kill('SIGTERM');
      expect(await agent.gone).toEqual([0, null]);
      expect(lab.left).toEqual(['svc_computer']);
      expect(lab.results[0]?.outcome).toMatchObject({ kind: 'failed', code: 'agent_stopped' });
      expect(readFileSync(trace, 'utf8')).toBe('cleaned up\n');
      expect(statSync(join(lab.dataDir, 'agents', 'svc_computer', 'ledger-a.seg')).size).toBeGreaterThan(0);
    });
  });
});
