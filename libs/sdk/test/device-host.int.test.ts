import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fromDevice } from '@lab/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HostProcess, temporaryFolder, type Message } from './host-process.js';
import { languages, type Module } from './languages.js';

const folder = temporaryFolder();
afterAll(() => folder.dispose());

const matching = (pattern: string): string => expect.stringMatching(new RegExp(pattern)) as string;

describe.each(languages)('the device host for $name', (language) => {
  const { words } = language;
  const hosts: HostProcess[] = [];
  let rig: { module: Module; path: string };

  beforeAll(async () => {
    rig = await language.bundle('devices/rig/device', folder.path);
  });
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.kill()));
  });

  async function open(given: string[] = []): Promise<HostProcess> {
    const host = await HostProcess.start(language, 'device-host', fromDevice, { given });
    hosts.push(host);
    return host;
  }

  async function start(init: Record<string, unknown> = {}, given: string[] = []): Promise<HostProcess> {
    const host = await open(given);
    host.send({ type: 'init', lab: 'sdk_lab', name: 'rig_1', ...rig, init_parameters: init });
    return host;
  }

  async function started(init: Record<string, unknown> = {}): Promise<HostProcess> {
    const host = await start(init);
    await host.next('ready');
    return host;
  }

  let calls = 0;
  async function call(host: HostProcess, name: string, args: Record<string, unknown> = {}): Promise<Message> {
    calls += 1;
    const id = `call-${calls}`;
    host.send({ type: 'call', call_id: id, function: name, arguments: args });
    const mine = (message: Message): boolean => message['call_id'] === id;
    return Promise.race([host.next('result', mine), host.next('failure', mine)]);
  }

  it('announces exactly the functions that the class itself declares, with their kinds and timeouts', async () => {
    const host = await start();
    expect((await host.next('ready'))['functions']).toEqual([
      {
        name: 'add',
        kind: 'effect',
        description: 'Adds two numbers',
        parameters: {
          a: { type: 'float', unit: 'n/a' },
          b: { type: 'float', unit: 'n/a', desc: 'the second' },
        },
      },
      { name: 'wait', kind: 'effect', timeout_s: 900 },
      { name: 'whose', kind: 'query' },
      { name: 'open', kind: 'query' },
      { name: 'refuse', kind: 'idempotent' },
      { name: 'value', kind: 'query' },
      { name: 'speak', kind: 'query' },
      { name: 'mutter', kind: 'query' },
      { name: 'throwOdd', kind: 'effect' },
      { name: 'rejectLater', kind: 'effect' },
      ...(language.name === 'Python' ? [{ name: 'block', kind: 'effect' }] : []),
      {
        name: 'tilt',
        kind: 'idempotent',
        description: 'Tilts the rig',
        parameters: { angle: { type: 'float', unit: 'deg', min: -45, max: 45 } },
      },
      ...(language.name === 'Python' ? [{ name: 'undeclared', kind: 'effect' }] : []),
    ]);
  });

  it('calls a function with its named parameters and returns its result', async () => {
    expect(await call(await started(), 'add', { a: 2, b: 3 })).toMatchObject({ value: { sum: 5 } });
  });

  it('gives the device a folder that exists, and none without an agent', async () => {
    const own = join(folder.path, 'devices', 'rig_1');
    const host = await start({}, [own]);
    await host.next('ready');
    expect(await call(host, 'value', { kind: 'folder' })).toMatchObject({ value: own });
    expect(existsSync(own)).toBe(true);
    const { value = null } = await call(await started(), 'value', { kind: 'folder' });
    expect(value).toBeNull();
  });

  it('says that a call had no effect if the device knows that', async () => {
    const host = await started();
    expect(await call(host, 'throwOdd', { not_begun: true })).toMatchObject({
      ...{ type: 'failure', code: 'device_error', effect: 'none', error: { message: 'not connected' } },
    });
    expect(await call(host, 'throwOdd')).not.toHaveProperty('effect');
  });

  describe('knows which task has the device', () => {
    const allocation = { attempt_id: 'a-1', fence: 7 };

    it('says that its class wants to know', async () => {
      expect((await (await start()).next('ready'))['follows_allocations']).toBe(true);
    });

    it('runs the hooks of the author for the beginning and the end of an allocation', async () => {
      const host = await started();
      for (const type of ['allocated', 'deallocated']) {
        host.send({ type, call_id: type, allocation });
        expect(await host.next('result')).toEqual({ type: 'result', call_id: type });
      }
      host.send({ type: 'report', call_id: 'report' });
      const { value } = await host.next('result');
      expect((value as { history: string[] }).history.slice(-2)).toEqual([
        'allocated to a-1 at 7',
        'deallocated from a-1 at 7',
      ]);
    });

    it('passes on the error of a hook', async () => {
      const host = await started({ fail_allocated: true });
      host.send({ type: 'allocated', call_id: 'x', allocation });
      expect(await host.next('failure')).toMatchObject({
        code: 'device_error',
        error: { message: 'the door is open' },
      });
    });

    it('gives the code of a call the allocation, and none to the call of a person', async () => {
      const host = await started();
      host.send({
        type: 'call',
        call_id: 'x',
        function: 'value',
        arguments: { kind: 'allocation' },
        allocation,
      });
      expect(await host.next('result')).toMatchObject({ value: { attemptId: 'a-1', fence: 7 } });
      const { value = null } = await call(host, 'value', { kind: 'allocation' });
      expect(value).toBeNull();
    });
  });

  it('calls a function that is listed in the table of the class', async () => {
    expect(await call(await started(), 'tilt', { angle: 4 })).toMatchObject({ value: { angle: 4 } });
  });

  it.each([
    ...(language.name === 'Python' ? [] : ['undeclared']),
    'inherited',
    'alsoInherited',
    '_cleanup',
    'constructor',
    'toString',
    '__proto__',
    'then',
  ])('refuses to call %s, which is not declared', async (name) => {
    const failure = await call(await started(), name);
    expect(failure).toMatchObject({ type: 'failure', code: 'unknown_function' });
    expect((failure['error'] as { message: string }).message).toContain('it declares: add, wait');
  });

  it('answers a query while an effect is in progress', async () => {
    const host = await started();
    const waiting = call(host, 'wait');
    expect(await call(host, 'open')).toEqual({ type: 'result', call_id: expect.any(String) as string });
    expect(await waiting).toMatchObject({ value: 'released' });
  });

  it('reports an author error with its message and only the frames of the package', async () => {
    const failure = await call(await started(), 'refuse', { volume: -2 });
    expect(failure).toMatchObject({ type: 'failure', code: 'device_error' });
    const { message, stack } = failure['error'] as { message: string; stack: string };
    expect(message).toBe('volume -2 is negative');
    expect(stack.split('\n')).toEqual([
      `${words.rangeError}: volume -2 is negative`,
      matching(`^    at refuse \\(${language.frame('devices/rig/refuse')}\\)$`),
      matching(`^    at .*refuse \\(${language.frame('devices/rig/device')}\\)$`),
    ]);
  });

  if (language.name === 'TypeScript') {
    it('uses a thrown value that is not an Error as the message', async () => {
      expect(await call(await started(), 'throwOdd')).toMatchObject({ error: { message: 'just a string' } });
    });
  }

  it.each<[kind: string, text: RegExp]>([
    ['circle', /^the result of value\.again contains itself/],
    ['nan', /^the result of value\.temperature\[1\] is nan/i],
    ['map', /^the result of value is a (Map|Opaque) object/],
    ['big', /^the result of value is 300002 bytes of JSON/],
    ...(language.name === 'Python'
      ? ([
          ['huge', /^the result of value\.count is 9007199254740992, an integer beyond/],
          ['bytes', /^the result of value is a bytes/],
          ['keys', /^the result of value has the key 1: the keys must be strings/],
        ] satisfies [string, RegExp][])
      : []),
  ])('refuses a result that is not JSON (%s) and names it', async (kind, text) => {
    const failure = await call(await started(), 'value', { kind });
    expect(failure).toMatchObject({ type: 'failure', code: 'device_error' });
    expect((failure['error'] as { message: string }).message).toMatch(text);
  });

  it('reports the state of the device', async () => {
    const host = await started();
    host.send({ type: 'report', call_id: 'r' });
    expect(await host.next('result')).toMatchObject({
      value: { history: ['constructed', 'initialized sdk_lab.rig_1'] },
    });
  });

  it('sends all printed text as log messages with their level', async () => {
    const host = await started();
    await call(host, 'speak');
    host.send({ type: 'cleanup' });
    await host.exit;
    expect(host.logs()).toEqual([
      { level: 'debug', text: 'a debug line' },
      { level: 'info', text: expect.stringMatching(/^one line with \{ ?'?detail'?: 1 ?\}$/) as string },
      { level: 'warn', text: 'careful' },
      { level: 'error', text: 'bad' },
      { level: 'info', text: 'through the log object' },
      { level: 'info', text: 'written without an end of linecleaning up' },
    ]);
  });

  it('sends a line whose end arrives in pieces', async () => {
    const host = await started();
    await call(host, 'mutter', { times: 20_000 });
    expect(host.logs().map(({ text }) => String(text).length)).toEqual([8_193, 8_193]);
  });

  it('reports why the initialization failed, and ends', async () => {
    const host = await start({ fail_init: true });
    expect((await host.next('init_failed'))['error']).toMatchObject({ message: 'the rig does not answer' });
    expect(await host.exit).toEqual({ code: 1, signal: null });
  });

  it('refuses calls before it is initialised', async () => {
    const host = await open();
    expect(await call(host, 'add')).toMatchObject({ code: 'device_unavailable' });
  });

  it('cleans up on request and ends with 0', async () => {
    const host = await started();
    host.send({ type: 'cleanup' });
    expect(await host.next('cleaned_up')).toEqual({ type: 'cleaned_up' });
    expect(await host.exit).toEqual({ code: 0, signal: null });
  });

  it('gives code the id of its call, also after an await', async () => {
    const host = await started();
    const [one, two] = await Promise.all([call(host, 'whose'), call(host, 'whose')]);
    expect(one).toMatchObject({ value: [one['call_id'], one['call_id']] });
    expect(two).toMatchObject({ value: [two['call_id'], two['call_id']] });
  });

  it('reports that its class can stop', async () => {
    expect((await (await start()).next('ready'))['can_stop']).toBe(true);
  });

  it('stops during a call in progress, which then ends', async () => {
    const host = await started();
    const waiting = call(host, 'wait');
    host.send({ type: 'stop', reason: 'a hand is in it' });
    expect(await host.next('stopped')).toEqual({ type: 'stopped', supported: true });
    expect(await waiting).toMatchObject({ value: 'released' });
    expect(host.logs()).toContainEqual({ level: 'warn', text: 'stopped: a hand is in it' });
  });

  it('reports when it could not be stopped', async () => {
    const host = await started({ fail_stop: true });
    host.send({ type: 'stop', reason: 'why not' });
    expect(await host.next('stopped')).toMatchObject({
      supported: true,
      error: { message: 'the brake is worn' },
    });
  });

  it('stops moving parts before it cleans up at its end', async () => {
    const host = await started();
    void call(host, 'wait').catch(() => undefined);
    await call(host, 'value', { kind: 'text' });
    host.child.kill('SIGTERM');
    await host.exit;
    const texts = host.logs().map(({ text }) => text);
    expect(texts).toEqual(['stopped: the agent ends this process', 'cleaning up']);
  });

  // In TypeScript, code that blocks also blocks its host, and the agent ends the process.
  if (language.name === 'Python') {
    it('ends at a signal that does not interrupt its wait for orders', async () => {
      const host = await started({ uninterrupted: true });
      host.child.kill('SIGTERM');
      expect(await host.exit).toEqual({ code: 0, signal: null });
    });

    it('answers, stops and ends while code of the author blocks', async () => {
      const host = await started();
      void call(host, 'block').catch(() => undefined);
      await host.next('log', ({ text }) => text === 'blocking');
      host.send({ type: 'ping' });
      await host.next('pong');
      host.send({ type: 'stop', reason: 'a hand is in it' });
      expect(await host.next('stopped')).toEqual({ type: 'stopped', supported: true });
      host.child.kill('SIGTERM');
      expect(await host.exit).toEqual({ code: 0, signal: null });
      expect(host.logs()).toContainEqual({ level: 'info', text: 'cleaning up' });
    });
  }

  it('answers pings while a call is in progress', async () => {
    const host = await started();
    void call(host, 'wait').catch(() => undefined);
    host.send({ type: 'ping' });
    await host.next('pong');
  });

  it('reports when the clean-up failed', async () => {
    const host = await started({ fail_cleanup: true });
    host.send({ type: 'cleanup' });
    expect(await host.next('cleaned_up')).toMatchObject({ error: { message: 'the valve is stuck' } });
    expect(await host.exit).toEqual({ code: 1, signal: null });
  });

  it('logs an error outside a call with the author stack, and ends with a code that is not 0', async () => {
    const host = await started();
    await call(host, 'rejectLater');
    const line = await host.next('log', ({ level }) => level === 'error');
    expect(line['text']).toContain('nobody waits for me');
    expect(line['text']).toMatch(new RegExp(`at .*${language.frame('devices/rig/device')}`));
    expect(await host.exit).toEqual({ code: 1, signal: null });
  });

  it('cleans up and ends when its agent is gone', async () => {
    const host = await started();
    host.leave();
    expect(await host.exit).toEqual({ code: 0, signal: null });
  });

  it('ends despite a clean-up that hangs when its agent is gone', async () => {
    const host = await started({ hang_cleanup: true });
    const before = Date.now();
    host.leave();
    expect(await host.exit).toEqual({ code: 1, signal: null });
    expect(Date.now() - before).toBeLessThan(9_000);
  });

  describe('during reconciliation', () => {
    async function ask(init: Record<string, unknown>): Promise<HostProcess> {
      const host = await open();
      const in_doubt = [{ call_id: 'attempt/7', function: 'wait' }];
      host.send({
        type: 'reconcile',
        lab: 'sdk_lab',
        name: 'rig_1',
        ...rig,
        init_parameters: init,
        in_doubt,
      });
      return host;
    }

    it('asks the author before _initialize, with the calls in doubt, and initialises the same object', async () => {
      const host = await ask({ found: 'idle' });
      expect(await host.next('reconciled')).toEqual({
        type: 'reconciled',
        supported: true,
        idle: true,
        detail: 'the rig is idle',
      });
      host.send({ type: 'init', lab: 'sdk_lab', name: 'rig_1', ...rig, init_parameters: {} });
      await host.next('ready');
      host.send({ type: 'report', call_id: 'r' });
      expect(await host.next('result')).toMatchObject({
        value: { history: ['constructed', 'asked for wait attempt/7', 'initialized sdk_lab.rig_1'] },
      });
    });

    it.each([
      ['moving', { supported: true, idle: false, detail: 'the rig is moving' }],
      ['error', { supported: true, idle: false, error: { message: 'the rig does not say' } }],
      [
        'nothing',
        {
          supported: true,
          idle: false,
          error: { message: expect.stringContaining('must return') as string },
        },
      ],
    ])('reports the result (%s)', async (found, said) => {
      expect(await (await ask({ found })).next('reconciled')).toMatchObject(said);
    });

    it('ends without touching the instrument', async () => {
      const host = await ask({ found: 'moving' });
      await host.next('reconciled');
      host.child.kill('SIGTERM');
      expect(await host.exit).toEqual({ code: 0, signal: null });
      expect(host.logs()).toEqual([]);
    });
  });

  it('ignores Ctrl-C in the terminal of its agent', async () => {
    const host = await started();
    host.child.kill('SIGINT');
    await host.next('log', ({ text }) => String(text).includes('SIGINT'));
    expect(await call(host, 'add', { a: 1, b: 1 })).toMatchObject({ value: { sum: 2 } });
  });

  it.each([
    [{ type: 'jump' }, 'has the type jump'],
    [{ type: 'call', call_id: 'x', function: 'add' }, 'arguments is not an object'],
  ])('logs and ignores a message that is not in the protocol', async (message, text) => {
    const host = await started();
    host.send(message);
    expect((await host.next('log'))['text']).toContain(text);
    expect(await call(host, 'add', { a: 1, b: 1 })).toMatchObject({ value: { sum: 2 } });
  });
});
