import { expect, it } from 'vitest';
import { subjectOf } from '../../src/audit/subject.js';

it.each([
  ['/api/campaigns', { name: 'sweep' }, 'campaign/sweep'],
  ['/api/protocols', { name: 'mix_1' }, 'protocol_run/mix_1'],
  ['/api/tasks', { name: 'carry' }, 'task_run/carry'],
  ['/api/tasks', { name: 'load' }, 'task_run/load'],
])('names the work that POST %s has made', (url, made, subject) => {
  expect(subjectOf({ url }, made)).toBe(subject);
});

it.each([
  ['/api/campaigns/sweep/optimizer/insight', 'campaign/sweep'],
  ['/api/protocols/mix_1/cancel', 'protocol_run/mix_1'],
  ['/api/tasks/carry/cancel', 'task_run/carry'],
  ['/api/tasks/mix%201/cancel?protocol_run_name=a%201&token=hers', 'task_run/a 1/mix 1'],
  ['/api/rpc/my_lab/arm_1/move?force=true&reason=hers', 'device/my_lab.arm_1'],
])('names the record of %s as other entries do', (url, subject) => {
  expect(subjectOf({ url })).toBe(subject);
});

it.each([
  '/api/tasks',
  '/api/protocols/validate',
  '/api/protocols/load',
  '/api/tasks/reload',
  '/api/queue/pause',
  '/api/constructor/x',
  '/api',
])('is the path of %s, which names no record', (url) => {
  expect(subjectOf({ url: `${url}?token=hers` })).toBe(url);
});

it('keeps a wrong escape of a path as it is', () => {
  expect(subjectOf({ url: '/api/campaigns/%zz/cancel' })).toBe('campaign/%zz');
});
