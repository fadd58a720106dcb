import { ServiceError } from '@lab/contracts';
import { expect, it } from 'vitest';
import { device, simpleDevice, task, World } from '../world.js';
import type { TaskScript } from '../../src/testing/index.js';

const marks = {};
const returning: TaskScript = async () => ({});
const never: TaskScript = () => new Promise(() => undefined);

it('a task to which a debugger may attach gets a process of its own and is reported as such', async () => {
  const world = new World({ tasks: { mix: never, add: returning } });
  world.modules.debugged.add('mix');
  await world.up();
  await world.agent.startTask(task('a', 'mix', { isolation: 'reusable' }), marks);
  await world.agent.startTask(task('b', 'add', { isolation: 'reusable' }), marks);
  await world.time.advance(1_000);
  expect(world.agent.attempts()).toEqual([{ attempt_id: 'a', status: 'running', debugged: true }]);
  expect(world.taskProcesses.kinds.filter(({ debugged }) => debugged === 'mix')).toHaveLength(1);
  expect(world.modules.hosts).toEqual(expect.arrayContaining(['mix', 'add']));
});

it('a process with a debugger ends after its task', async () => {
  const world = new World({ tasks: { mix: returning } });
  world.modules.debugged.add('mix');
  await world.up();
  for (const id of ['a', 'b']) {
    await world.agent.startTask(task(id, 'mix', { isolation: 'reusable' }), marks);
    await world.time.advance(1_000);
  }
  const debugged = world.taskProcesses.started.filter(({ debugger: address }) => address !== undefined);
  expect(debugged.map(({ alive }) => alive)).toEqual([false, false]);
});

it('a task that has a device under a debugger is reported as such', async () => {
  const world = await new World({
    tasks: { mix: never },
    devices: [device('arm'), device('lamp')],
    device: ({ name }) => ({ ...simpleDevice, ...(name === 'arm' ? { debugger: '127.0.0.1:9229' } : {}) }),
  }).up();
  await world.agent.startTask(task('a', 'mix', { devices: { d: { name: 'arm' } } }), marks);
  await world.agent.startTask(task('b', 'mix', { devices: { d: { name: 'lamp' } } }), marks);
  await world.time.advance(0);
  expect(world.agent.attempts().map(({ debugged }) => debugged)).toEqual([true, undefined]);
});

it('a result says what executed the task, also after a crash of the agent', async () => {
  const first = await new World({ tasks: { mix: returning } }).up();
  first.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
  await first.agent.startTask(task('a', 'mix'), marks);
  await first.time.advance(1_000);
  const second = await new World({ ledger: first.crash() }).up();
  expect(second.orchestrator.results).toMatchObject([
    { attempt_id: 'a', runtime: { name: 'node', version: null, environment: null } },
  ]);
});
