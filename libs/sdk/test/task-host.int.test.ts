import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromTask, type Isolation } from '@lab/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HostProcess, temporaryFolder, type Message } from './host-process.js';
import { languages, type Module } from './languages.js';

const folder = temporaryFolder();
afterAll(() => folder.dispose());

const functions = [
  { name: 'add', kind: 'effect' },
  { name: 'wait', kind: 'effect' },
  { name: 'refuse', kind: 'idempotent' },
];
const beaker = { name: 'beaker_1', type: 'beaker', meta: { volume: 10 } };

describe.each(languages)('the task host for $name', (language) => {
  const { words } = language;
  const hosts: HostProcess[] = [];
  let isolation: Isolation = 'single_use';
  let probe: { module: Module; path: string };

  beforeAll(async () => {
    probe = await language.bundle('tasks/probe', folder.path);
  });
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.kill()));
  });

  async function warm(nodeOptions: string[] = []): Promise<HostProcess> {
    const host = await HostProcess.start(language, 'task-host', fromTask, { nodeOptions });
    hosts.push(host);
    await host.next('waiting');
    return host;
  }

  /** Sends a run and returns its spool folder. */
  function run(
    host: HostProcess,
    mode: string,
    options: {
      value?: unknown;
      code?: { module: Module; path: string };
      known?: boolean;
      files?: Record<string, unknown>;
    } = {},
  ): string {
    const spool = mkdtempSync(join(folder.path, 'spool-'));
    host.send({
      type: 'run',
      attempt_id: 'a1',
      label: 'run/probe',
      isolation,
      ...(options.code ?? probe),
      devices: {
        rig: { lab: 'sdk_lab', name: 'rig_1', functions: options.known === false ? null : functions },
      },
      parameters: { mode, ...(options.value === undefined ? {} : { value: options.value }) },
      resources: { beaker },
      spool,
      ...(options.files === undefined ? {} : { files: options.files }),
    });
    return spool;
  }

  async function outcome(
    mode: string,
    options: Parameters<typeof run>[2] = {},
  ): Promise<Message & { error: { message: string; stack?: string } }> {
    const host = await warm();
    run(host, mode, options);
    return ended(host);
  }

  async function ended(host: HostProcess) {
    const message = await Promise.race([host.next('completed'), host.next('failed')]);
    return message as Message & { error: { message: string; stack?: string } };
  }

  describe('a task in its host', () => {
    it('completes with its output parameters, resources and files', async () => {
      expect(await outcome('echo', { value: { list: [1, 'two', null] } })).toEqual({
        type: 'completed',
        output_parameters: { value: { list: [1, 'two', null] } },
        output_resources: {},
        files: [],
      });
    });

    it('returns a resource with its new meta', async () => {
      expect(await outcome('pour')).toMatchObject({
        output_resources: { beaker: { name: 'beaker_1', type: 'beaker', meta: { volume: 15 } } },
      });
    });

    it('finds devices, signal and log also on itself', async () => {
      expect(await outcome('context')).toMatchObject({
        output_parameters: { device: 'sdk_lab.rig_1', same: true, aborted: false },
      });
    });

    it('may be a named export when it is the only class of its kind', async () => {
      const code = await language.bundle('tasks/named-class', folder.path);
      expect(await outcome('x', { code })).toMatchObject({ output_parameters: { named: true } });
    });

    it('fails with the necessary export when the module has no task class', async () => {
      const code = await language.bundle('tasks/no-class', folder.path);
      expect((await outcome('x', { code })).error.message).toBe(
        language.name === 'TypeScript'
          ? 'tasks/no-class.ts exports answer; it needs export default class … extends BaseTask with _execute'
          : 'tasks/no-class.py defines answer; it needs class …(BaseTask) with _execute',
      );
    });

    it('fails with the message of a module that throws during its import', async () => {
      const code = await language.bundle('tasks/throws-on-import', folder.path);
      const { error } = await outcome('x', { code });
      expect(error.message).toBe('the module itself fails');
      expect(error.stack).toMatch(new RegExp(language.frame('tasks/throws-on-import')));
    });

    it('fails with the message, the cause and the package frames of the thrown error', async () => {
      const failed = await outcome('throw');
      expect(failed).toMatchObject({ type: 'failed', code: 'task_error' });
      expect(failed.error.message).toBe('the author says no');
      expect(failed.error.stack).toMatch(
        new RegExp(`^${words.error}: the author says no\n    at .*\\(?${language.frame('tasks/probe')}`),
      );
      expect(failed.error.stack).toContain('caused by TypeError: because of this');
      expect(failed.error.stack).not.toMatch(/\/hosts\/|node:|file:|\/libs\//);
    });

    if (language.name === 'TypeScript') {
      it('fails when it throws something that is not an Error', async () => {
        expect((await outcome('throw_odd')).error.message).toBe(
          "threw { reason: 'odd' }, which is not an Error",
        );
      });
    }

    it('fails, and its process ends, when its code throws outside of the awaited call', async () => {
      const host = await warm();
      run(host, 'uncaught');
      expect(await host.next('failed')).toMatchObject({
        code: 'task_error',
        error: { message: 'thrown in a timer' },
      });
      expect(await host.exit).toEqual({ code: 1, signal: null });
    });

    it.each([
      ['nothing', `_execute returned ${words.nothing}: return `],
      ['two', `_execute returned ${words.listOfTwo}`],
      ['not_object', 'The output parameters are a list of 1'],
      ['date', `the output parameter when is a ${words.date} object`],
      ['circle', 'the output parameter inner.list[0] contains itself'],
      ['nul', 'the output parameter text holds the character U+0000'],
      ['big', 'without its files, is 300'],
      ['bad_resource', `The output resource beaker is not a ${words.resource}`],
    ])('fails with a clear message for a wrong result (%s)', async (mode, text) => {
      const message = expect.stringContaining(text) as string;
      expect(await outcome(mode)).toMatchObject({
        type: 'completed',
        problem: { code: 'invalid_output', message },
      });
    });

    it('keeps what is right in a result of which the rest is wrong or missing', async () => {
      expect(await outcome('partly')).toEqual({
        type: 'completed',
        output_parameters: { volume: 3 },
        output_resources: { beaker: { ...beaker, meta: { volume: 3 } } },
        files: [{ name: 'good.txt', path: 'file-2', size: 4, sha256: expect.any(String) as string }],
        problem: {
          code: 'invalid_output',
          message: expect.stringMatching(
            new RegExp(`output parameter when is a ${words.date} object.*; The file bad is ${words.number}`),
          ) as string,
        },
      });
      expect(await outcome('short')).toMatchObject({
        type: 'completed',
        output_parameters: { volume: 3 },
        problem: { message: expect.stringContaining(`_execute returned ${words.listOfOne}`) as string },
      });
    });

    it('sends its printed text before its result', async () => {
      const host = await warm();
      run(host, 'speak');
      await host.next('completed');
      expect(host.logs()).toEqual([
        { level: 'warn', text: 'from the task' },
        { level: 'info', text: 'half a line' },
      ]);
    });
  });

  describe.each(['single_use', 'thread'] as const)('a device call of a task with isolation %s', (each) => {
    beforeAll(() => {
      isolation = each;
    });

    it('goes to the agent and settles with its answer', async () => {
      const host = await warm();
      run(host, 'call');
      const call = await host.next('call');
      expect(call).toMatchObject({ slot: 'rig', function: 'add', arguments: { a: 2, b: 3 } });
      host.send({ type: 'call_result', call_id: call['call_id'], value: { sum: 5 } });
      expect(await host.next('completed')).toMatchObject({ output_parameters: { sum: 5 } });
    });

    it('rejects with a DeviceError that a task can catch', async () => {
      const host = await warm();
      run(host, 'catch_call');
      const call = await host.next('call');
      const error = { message: 'volume -1 is negative' };
      host.send({ type: 'call_failure', call_id: call['call_id'], code: 'device_error', error });
      expect(await host.next('completed')).toMatchObject({
        output_parameters: {
          name: 'DeviceError',
          code: 'device_error',
          device: 'sdk_lab.rig_1',
          message: 'sdk_lab.rig_1.refuse: volume -1 is negative',
        },
      });
    });

    it('that waits for a file of an instrument gets it from the agent and can return it', async () => {
      const host = await warm();
      const path = join(folder.path, 'arrived.csv');
      writeFileSync(path, 'well,od\n');
      const spool = run(host, 'expect_file', { value: { pattern: '*.csv', seconds: 12.5 } });
      const asked = await host.next('expect_file');
      expect(asked).toMatchObject({ slot: 'rig', pattern: '*.csv', timeout_s: 12.5 });
      const value = { name: 'a.csv', size: 8, sha256: 'ab', media_type: 'text/csv', path };
      host.send({ type: 'call_result', call_id: asked['call_id'], value });
      const completed = await ended(host);
      expect(completed).toMatchObject({
        output_parameters: { size: 8, media_type: 'text/csv' },
        files: [{ name: 'plate.csv', size: 8 }],
      });
      expect(readFileSync(join(spool, 'file-1'), 'utf8')).toBe('well,od\n');
    });

    it('that waits for a file in vain fails with the code and the message of the agent', async () => {
      const host = await warm();
      run(host, 'expect_file', { value: { pattern: '*.csv', seconds: 1 } });
      const asked = await host.next('expect_file');
      const error = { message: 'no file *.csv came for this task within 1 s' };
      host.send({ type: 'call_failure', call_id: asked['call_id'], code: 'deadline_exceeded', error });
      expect(await ended(host)).toMatchObject({
        type: 'failed',
        code: 'deadline_exceeded',
        error: {
          message: expect.stringMatching(/^sdk_lab\.rig_1\.expect_?[fF]ile: no file \*\.csv came/) as string,
        },
      });
    });

    it('that waits for a file for no number of seconds fails without reaching the agent', async () => {
      const failed = await outcome('expect_file', { value: { pattern: '*', seconds: -1 } });
      expect(failed).toMatchObject({ type: 'failed', code: 'task_error' });
      expect(failed.error.message).toContain('must be a number of seconds');
    });

    it('fails the task with the code of the failure and both stacks when the task does not catch', async () => {
      const host = await warm();
      run(host, 'let_call_fail');
      const call = await host.next('call');
      const error = {
        message: 'negative',
        stack: 'RangeError: negative\n    at refuse (sdk_lab/devices/rig/refuse.ts:3:9)',
      };
      host.send({ type: 'call_failure', call_id: call['call_id'], code: 'device_error', error });
      const failed = await ended(host);
      expect(failed).toMatchObject({ code: 'device_error' });
      expect(failed.error.stack).toMatch(
        new RegExp(
          `^DeviceError: sdk_lab\\.rig_1\\.refuse: negative\n    at .*${language.frame('tasks/probe')}\\)?\n`,
        ),
      );
      expect(failed.error.stack).toContain(
        'in the device sdk_lab.rig_1:\n    at refuse (sdk_lab/devices/rig/refuse.ts:3:9)',
      );
    });

    it.each([
      ['call_wrong', 'sdk_lab.rig_1 has no function addd; it has: add, wait, refuse', 'unknown_function'],
      ['call_two', 'rig.add was called with 2 arguments', 'task_error'],
      ['call_underscore', 'rig._cleanup cannot be called', 'task_error'],
    ])('with a fault (%s) fails without reaching the agent', async (mode, text, code) => {
      const failed = await outcome(mode);
      expect(failed).toMatchObject({ code });
      expect(failed.error.message).toContain(text);
    });

    it('goes to the device when its functions are unknown', async () => {
      const host = await warm();
      run(host, 'call_wrong', { known: false });
      expect(await host.next('call')).toMatchObject({ function: 'addd' });
    });

    it('without an await keeps the task from completing', async () => {
      const host = await warm();
      run(host, 'forget_call');
      const call = await host.next('call');
      expect(String((await host.next('log'))['text'])).toContain('await every call');
      expect(host.received.filter(({ type }) => type === 'completed')).toEqual([]);
      host.send({ type: 'call_result', call_id: call['call_id'] });
      await host.next('completed');
    });

    it('without an await fails the task when it fails', async () => {
      const host = await warm();
      run(host, 'forget_call');
      const call = await host.next('call');
      const error = { message: 'stuck' };
      host.send({ type: 'call_failure', call_id: call['call_id'], code: 'device_error', error });
      expect(await ended(host)).toMatchObject({ type: 'failed', code: 'device_error' });
    });
  });

  describe.each(['single_use', 'thread'] as const)('an abort with isolation %s', (each) => {
    beforeAll(() => {
      isolation = each;
    });

    it('fires the signal, and a task that then throws has failed as aborted', async () => {
      const host = await warm();
      run(host, 'wait_for_abort');
      host.send({ type: 'abort', reason: 'cancelled by ada' });
      expect(await host.next('failed')).toMatchObject({
        code: 'aborted',
        error: { message: 'cancelled by ada' },
      });
    });

    it('lets a task complete that finishes nevertheless', async () => {
      const host = await warm();
      run(host, 'finish_in_spite_of_abort');
      await host.next('log', ({ text }) => text === 'listening');
      host.send({ type: 'abort', reason: 'cancelled' });
      expect(await ended(host)).toMatchObject({ type: 'completed', output_parameters: { finished: true } });
    });

    it('rejects calls that wait for an answer', async () => {
      const host = await warm();
      run(host, 'wait_in_call');
      await host.next('call');
      host.send({ type: 'abort', reason: 'cancelled by ada' });
      const failed = await ended(host);
      expect(failed).toMatchObject({ type: 'failed', code: 'aborted' });
      expect(failed.error.message).toContain('cancelled by ada');
    });

    it('refuses every later call of the task', async () => {
      const host = await warm();
      run(host, 'call_after_abort');
      await host.next('call');
      host.send({ type: 'abort', reason: 'cancelled' });
      expect(await ended(host)).toMatchObject({ code: 'aborted' });
      expect(host.received.filter(({ type }) => type === 'call')).toEqual([]);
      expect(host.logs()).toContainEqual({ level: 'info', text: 'refused: DeviceError' });
    });
  });

  describe('the files of a task', () => {
    beforeAll(() => {
      isolation = 'single_use';
    });

    it('are written to the spool folder with size and hash, whatever their source', async () => {
      const host = await warm();
      const spool = run(host, 'files');
      const completed = await host.next('completed');
      const files = completed['files'] as { name: string; path: string; size: number; sha256: string }[];
      const source = readFileSync(language.name === 'TypeScript' ? probe.path : '/etc/hostname');
      const expected: [string, Buffer][] = [
        ['buffer.bin', Buffer.from([0, 1, 2, 255])],
        ['text with spaces, ümlaut.txt', Buffer.from('grüße')],
        ['stream.txt', Buffer.from('one two')],
        ['copy.mjs', source],
        ['read.mjs', source],
        ['empty', Buffer.alloc(0)],
      ];
      expect(files.map(({ name }) => name)).toEqual(expected.map(([name]) => name));
      for (const [index, [, content]] of expected.entries()) {
        const file = files[index];
        expect(file?.path).toMatch(/^file-\d+$/);
        expect(readFileSync(join(spool, file?.path ?? '')).equals(content)).toBe(true);
        expect(file?.size).toBe(content.length);
        expect(file?.sha256).toBe(createHash('sha256').update(content).digest('hex'));
      }
      expect(readdirSync(spool)).toHaveLength(expected.length);
    });

    it('can be written to a scratch folder inside the spool folder', async () => {
      const host = await warm();
      const spool = run(host, 'scratch');
      const scratch = join(spool, 'scratch');
      expect(await ended(host)).toMatchObject({
        output_parameters: { folder: scratch, again: scratch },
        files: [{ name: 'scan.csv', path: 'file-1', size: 3 }],
      });
      expect(readFileSync(join(spool, 'file-1'), 'utf8')).toBe('a,b');
    });

    it('of another task are available by their handles and can be passed on', async () => {
      const path = join(folder.path, 'given.csv');
      writeFileSync(path, 'a,b\n');
      const given = { name: 'raw.csv', size: 4, sha256: 'ab', media_type: 'text/csv', path };
      expect(await outcome('pass_on', { files: { raw: given } })).toMatchObject({
        type: 'completed',
        output_parameters: { raw: given, log: null },
        files: [{ name: 'copy.csv', size: 4 }],
      });
      expect(await outcome('pass_on')).toMatchObject({ type: 'completed', output_parameters: { raw: null } });
    });

    it.each(['../up', 'a/b', 'a\\b', '..', '', ' a', 'a\u0000', 'x'.repeat(201)])(
      'cannot have the name %j',
      async (value) => {
        expect(await outcome('file_name', { value })).toMatchObject({ problem: { code: 'file_error' } });
      },
    );

    it.each([
      ['file_relative', 'give an absolute path'],
      ['file_missing', 'The file a that the task returned does not exist: there is no folder /nonexistent'],
      [
        'file_misnamed',
        'The file scan.csv that the task returned does not exist: there is no "no such scan.csv" in the folder /',
      ],
      ['file_wrong', `The file a is ${words.number}`],
      ['file_stream_fails', 'The file first could not be written: the camera went away'],
    ])('that are unreadable (%s) fail the task, and the error names them', async (mode, text) => {
      const message = expect.stringContaining(text) as string;
      expect(await outcome(mode)).toMatchObject({ problem: { code: 'file_error', message } });
    });
  });

  describe('the process of a task', () => {
    beforeAll(() => {
      isolation = 'reusable';
    });

    it('waits for another task when the last one left nothing behind', async () => {
      const host = await warm();
      for (let round = 0; round < 20; round += 1) {
        run(host, 'echo', { value: round });
        expect(await host.next('completed')).toMatchObject({ output_parameters: { value: round } });
        await host.next('waiting');
      }
    });

    it('is reused after a task with files, and after one with a short timer', async () => {
      const host = await warm();
      run(host, 'files');
      await host.next('completed');
      await host.next('waiting');
      run(host, 'leave_short_timer');
      await host.next('completed');
      await host.next('waiting');
    });

    it('ends after a task that left something running', async () => {
      const host = await warm();
      run(host, 'leave_timer');
      await host.next('completed');
      expect(await host.exit).toEqual({ code: 0, signal: null });
      expect(host.received.filter(({ type }) => type === 'waiting')).toEqual([]);
    });

    it('ends after a task that failed', async () => {
      const host = await warm();
      run(host, 'throw');
      await host.next('failed');
      expect(await host.exit).toEqual({ code: 0, signal: null });
    });

    if (language.name === 'Python') {
      it('runs a task whose code is plain, and ends at once when its agent is gone while that code blocks', async () => {
        const host = await warm();
        run(host, 'block');
        await host.next('log', ({ text }) => text === 'blocking');
        host.leave();
        expect(await host.exit).toEqual({ code: 1, signal: null });
      });

      it('logs what libraries in C and child processes print', async () => {
        const host = await warm();
        run(host, 'native');
        await host.next('completed');
        await expect.poll(() => host.stdout).toContain('from a library in C');
      });

      it('makes plain values of those that numerical libraries return', async () => {
        expect(await outcome('arrays')).toMatchObject({
          output_parameters: { list: [1.5, 2], scalar: 4, file: null },
        });
      });
    }

    it('ends at once when its agent is gone', async () => {
      const host = await warm();
      run(host, 'wait_in_call');
      await host.next('call');
      host.leave();
      expect(await host.exit).toEqual({ code: 1, signal: null });
    });
  });

  describe('tasks with isolation thread', () => {
    beforeAll(() => {
      isolation = 'thread';
    });

    it('run one task each, with fresh modules', async () => {
      const host = await warm();
      for (let round = 0; round < 3; round += 1) {
        run(host, 'count');
        expect(await host.next('completed')).toMatchObject({ output_parameters: { count: 1 } });
        await host.next('waiting');
      }
    });

    it('pass on a message that came before the thread was ready', async () => {
      const host = await warm();
      run(host, 'wait_for_abort');
      host.send({ type: 'abort', reason: 'at once' });
      expect(await ended(host)).toMatchObject({ code: 'aborted' });
    });

    it('end the process when a task throws outside of its awaited call', async () => {
      const host = await warm();
      run(host, 'uncaught');
      expect(await host.next('failed')).toMatchObject({ error: { message: 'thrown in a timer' } });
      expect(await host.exit).toEqual({ code: 1, signal: null });
    });

    it('pass on what a task prints, before its result', async () => {
      const host = await warm();
      run(host, 'speak');
      await host.next('completed');
      expect(host.logs()).toEqual([
        { level: 'warn', text: 'from the task' },
        { level: 'info', text: 'half a line' },
      ]);
    });

    if (language.name === 'TypeScript') {
      it('end with the timers and sockets of their task', async () => {
        const host = await warm();
        run(host, 'leave_ticking');
        await host.next('completed');
        await host.next('waiting');
        host.received.splice(0);
        run(host, 'echo');
        await host.next('completed');
        await host.next('waiting');
        expect(host.logs()).toEqual([]);
      });

      it('end the process when a task runs out of memory, with the reason', async () => {
        const host = await warm(['--max-old-space-size=64']);
        run(host, 'hoard');
        // Newer versions of Node end the process themselves.
        expect(await host.exit).not.toMatchObject({ code: 0 });
        expect(host.stderr).toMatch(/^FATAL ERROR: .*out of memory/m);
      });

      it('end the process when a task ends its thread', async () => {
        const host = await warm();
        run(host, 'quit');
        expect(await host.exit).toEqual({ code: 7, signal: null });
      });

      it('end with the process, also in an endless loop', async () => {
        const host = await warm();
        run(host, 'spin');
        await host.next('log', ({ text }) => text === 'spinning');
        host.child.kill('SIGTERM');
        expect(await host.exit).toEqual({ code: null, signal: 'SIGTERM' });
      });
    }
  });
});
