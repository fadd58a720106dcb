import { describe, expect, it } from 'vitest';
import { assemble } from '../assemble.js';
import { edited } from '../package-fixture.js';
import { asItStands, testRules } from './rule.js';

const protocol = 'demo/experiments/run/experiment.yml';
const dependencies = 'dependencies: [b]';

describe('a dependency', () => {
  testRules(protocol, [
    [
      'has a least lag of 0 or more',
      [dependencies, 'dependencies: [{task: b, min_lag: 0}]'],
      [dependencies, 'dependencies: [{task: b, min_lag: -1}]'],
      '32:tasks[2].dependencies[0].min_lag invalid_value',
    ],
    [
      'has a lag of a year at most',
      [dependencies, 'dependencies: [{task: b, max_lag: 31536000}]'],
      [dependencies, 'dependencies: [{task: b, max_lag: 31536001}]'],
      '32:tasks[2].dependencies[0].max_lag invalid_value',
    ],
    [
      'has lags that are numbers',
      asItStands,
      [dependencies, 'dependencies: [{task: b, max_lag: soon}]'],
      '32:tasks[2].dependencies[0].max_lag wrong_type',
    ],
    [
      'has no greatest lag below the least one',
      [dependencies, 'dependencies: [{task: b, min_lag: 5, max_lag: 5}]'],
      [dependencies, 'dependencies: [{task: b, min_lag: 5, max_lag: 4.5}]'],
      '32:tasks[2].dependencies[0].max_lag lag_order',
    ],
    [
      'with a lag names its task',
      asItStands,
      [dependencies, 'dependencies: [{min_lag: 5}]'],
      '32:tasks[2].dependencies[0].task missing_key',
    ],
    [
      'with a lag names a task that exists',
      asItStands,
      [dependencies, 'dependencies: [{task: d, min_lag: 5}]'],
      '32:tasks[2].dependencies[0] unknown_dependency',
    ],
    [
      'stands once, with or without a lag',
      asItStands,
      [dependencies, 'dependencies: [b, {task: b, min_lag: 5}]'],
      '32:tasks[2].dependencies[1] duplicate_dependency',
    ],
    [
      'has no other keys',
      asItStands,
      [dependencies, 'dependencies: [{task: b, lag: 5}]'],
      '32:tasks[2].dependencies[0].lag unknown_key',
    ],
  ]);
});

describe('the lags of a task', () => {
  const taskOf = (text: string) =>
    assemble(edited(protocol, dependencies, text))
      .protocol('run')
      ?.protocol.tasks.at(-1);
  const hashOf = (text: string) => assemble(edited(protocol, dependencies, text)).protocol('run')?.hash;

  it('are stored beside the names of its dependencies, only where they are declared', () => {
    expect(taskOf('dependencies: [a, {task: b, min_lag: 5, max_lag: 60.5}]')).toMatchObject({
      dependencies: ['a', 'b'],
      lags: { b: { min_lag: 5, max_lag: 60.5 } },
    });
    expect(taskOf('dependencies: [{task: b, max_lag: 60}]')?.lags).toEqual({ b: { max_lag: 60 } });
  });

  it('do not change the hash of a task that declares none', () => {
    expect(taskOf(dependencies)).not.toHaveProperty('lags');
    expect(taskOf('dependencies: [{task: b}]')).not.toHaveProperty('lags');
    expect(hashOf('dependencies: [{task: b, min_lag: }]')).toBe(hashOf(dependencies));
    expect(hashOf('dependencies: [{task: b, min_lag: 5}]')).not.toBe(hashOf(dependencies));
  });
});
