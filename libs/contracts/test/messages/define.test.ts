import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentRequests } from '../../src/messages/agent.js';
import { catalogue } from '../../src/messages/catalogue.js';
import { subjectOf, tokensOf } from '../../src/messages/define.js';
import { decodeToken, encodeToken } from '../../src/messages/subject-tokens.js';

describe('subject tokens', () => {
  it('encode any name reversibly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(decodeToken(encodeToken(name))).toBe(name);
      }),
    );
  });

  it('never contain a character that structures a subject', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(encodeToken(name)).toMatch(/^[A-Za-z0-9_=-]+$/);
      }),
    );
  });

  it('are different for different names', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        if (a !== b) expect(encodeToken(a)).not.toBe(encodeToken(b));
      }),
    );
  });
});

describe('the catalogue', () => {
  it('gives every message its own name and subject', () => {
    expect(new Set(catalogue.map((d) => d.name)).size).toBe(catalogue.length);
    expect(new Set(catalogue.map((d) => d.subject)).size).toBe(catalogue.length);
  });

  it('puts every subject under the version of the envelope', () => {
    for (const definition of catalogue) expect(definition.subject).toMatch(/^svc\.v1\./);
  });

  it('demands a signature for every change that a person asks of the leader, but not for an emergency stop', () => {
    const isChange = ({ kind, from, to, ...rest }: (typeof catalogue)[number]): boolean =>
      kind === 'request' &&
      from.gateway !== undefined &&
      to.orchestrator !== undefined &&
      (rest as { readOnly?: boolean }).readOnly !== true;
    const unsigned = catalogue.filter((each) => isChange(each) && !('act' in each && each.act === true));
    expect(unsigned.map(({ name }) => name)).toEqual([
      'estop.engage',
      'service.health',
      'service.leader_health',
      // The leader reads from the database what it applies.
      'service.apply_revocations',
    ]);
  });

  it('reads back the tokens of a subject', () => {
    const tokens = { computer: 'bench.b', inc: '7', lab: 'a*b', device: '> x' };
    const subject = subjectOf(agentRequests.callDevice, tokens);
    expect(subject.split('.')).toHaveLength(agentRequests.callDevice.subject.split('.').length);
    expect(tokensOf(agentRequests.callDevice, subject)).toEqual(tokens);
  });

  it('makes a wildcard of an omitted token', () => {
    expect(subjectOf(agentRequests.callDevice, { computer: 'c', inc: '1' })).toBe(
      'svc.v1.agent.c.1.device.*.*.call',
    );
  });
});
