import { describe, expect, it } from 'vitest';
import { agentRequests, peerRequests } from '../../src/messages/agent.js';
import { catalogue } from '../../src/messages/catalogue.js';
import { answererOf, permissionsOf } from '../../src/messages/parties.js';
import { processRoles, type ProcessRole } from '../../src/messages/process-roles.js';
import { serviceRequests } from '../../src/messages/service.js';

const permissions = (role: ProcessRole) => permissionsOf(role, 'me', catalogue);

/** Whether some subject fits both patterns. */
function overlap(a: string, b: string): boolean {
  const [left, right] = [a.split('.'), b.split('.')];
  if (left.at(-1) !== '>' && right.at(-1) !== '>' && left.length !== right.length) return false;
  return left.every((token, index) => {
    const other = right[index];
    if (token === '>' || other === '>') return true;
    return token === '*' || other === '*' || token === other;
  });
}

const patternOf = (subject: string): string => subject.replace(/\{\w+\}/g, '*');

describe('the permissions of a process', () => {
  it('follow from the catalogue, in which every message has a sender and a receiver', () => {
    for (const { name, from, to } of catalogue)
      expect([name, Object.keys(from).length > 0, Object.keys(to).length > 0]).toEqual([name, true, true]);
  });

  it.each(processRoles)('let a process of the role %s send only its own messages', (role) => {
    const { publish } = permissions(role);
    for (const { name, subject, from } of catalogue) {
      const allowed = publish.some((pattern) => overlap(pattern, patternOf(subject)));
      expect([name, allowed]).toEqual([name, from[role] !== undefined]);
    }
  });

  it.each(processRoles)('let a process of the role %s hear only what is meant for it', (role) => {
    const { subscribe } = permissions(role);
    for (const { name, subject, to } of catalogue) {
      const allowed = subscribe.some((pattern) => overlap(pattern, patternOf(subject)));
      expect([name, allowed]).toEqual([name, to[role] !== undefined]);
    }
    const inboxes = subscribe.filter((pattern) => pattern.startsWith('_INBOX'));
    for (const inbox of inboxes) expect(inbox).toBe(`_INBOX.${role}.me.>`);
  });

  it('are for an agent', () => {
    expect(permissions('agent')).toEqual({
      publish: [
        '_INBOX.agent.*.*.agent.me.*',
        '_INBOX.gateway.*.*.agent._.*',
        '_INBOX.gateway.*.*.agent.me.*',
        '_INBOX.orchestrator.*.*.agent.me.*',
        '_INBOX.tool.*.*.agent._.*',
        'svc.v1.agent.*.*.peer.me.clock',
        'svc.v1.agent.*.*.peer.me.device.*.*.call',
        'svc.v1.agent.*.*.peer.me.device.stop',
        'svc.v1.event.agent.me.device',
        'svc.v1.event.agent.me.heartbeat',
        'svc.v1.event.agent.me.leaving',
        'svc.v1.event.agent.me.stop',
        'svc.v1.event.emergency_stop',
        'svc.v1.event.measured.agent.me',
        'svc.v1.orchestrator.module.fetch',
        'svc.v1.up.me.agent.register',
        'svc.v1.up.me.attempt.result',
        'svc.v1.up.me.device_file.find',
        'svc.v1.up.me.device_file.store',
        'svc.v1.up.me.device_file.upload',
        'svc.v1.up.me.effect.append',
        'svc.v1.up.me.file.fetch',
        'svc.v1.up.me.file.ticket',
        'svc.v1.up.me.log.append',
      ],
      subscribe: [
        '_INBOX.agent.me.>',
        'svc.v1.agent.me.*.clock',
        'svc.v1.agent.me.*.device.*.*.call',
        'svc.v1.agent.me.*.device.*.*.report',
        'svc.v1.agent.me.*.device.*.*.reset',
        'svc.v1.agent.me.*.device.*.*.restart',
        'svc.v1.agent.me.*.devices.assign',
        'svc.v1.agent.me.*.peer.*.clock',
        'svc.v1.agent.me.*.peer.*.device.*.*.call',
        'svc.v1.agent.me.*.peer.*.device.stop',
        'svc.v1.agent.me.*.present',
        'svc.v1.agent.me.*.task.cancel',
        'svc.v1.agent.me.*.task.start',
        'svc.v1.agent.me.*.task.status',
        'svc.v1.agent.me.*.update',
        'svc.v1.event.agent.*.heartbeat',
        'svc.v1.event.emergency_stop',
        'svc.v1.event.orchestrator.leading',
        'svc.v1.health.agent',
      ],
    });
  });
});

describe('the subject of an answer', () => {
  it('names the agent that answers', () => {
    const tokens = { computer: 'bench b', inc: '1', lab: 'l', device: 'd' };
    expect(answererOf(agentRequests.callDevice, tokens)).toBe('agent.bench=20=b');
    expect(answererOf(peerRequests.callDevice, { ...tokens, caller: 'c' })).toBe('agent.bench=20=b');
  });

  it('names only the role where the request names no process', () => {
    expect(answererOf(serviceRequests.health, { service: 'optimizer' })).toBe('optimizer._');
    expect(() => answererOf(serviceRequests.health, { service: 'nobody' })).toThrow(/no process answers/);
  });
});
