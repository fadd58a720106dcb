import { describe, expect, it } from 'vitest';
import { DeviceTwin } from '../src/twins/index.js';

describe('the twin of a device on a virtual clock', () => {
  it('takes the latency of each request of SCPI, and answers what simulate says', () => {
    const twin = DeviceTwin.of(
      {
        simulate: { latency: 0.5, answers: { voltage: 3.25 } },
        functions: { voltage: { ask: 'MEAS:VOLT?' }, set: { write: ['VOLT {v}', 'OUTP ON'] } },
      },
      0,
    );
    expect(twin?.call('voltage', {}, 10)).toEqual({ end: 10.5, result: 3.25 });
    expect(twin?.call('set', { v: 1 }, 10.5)).toEqual({ end: 11.5, result: null });
  });

  it('reads and writes the nodes of OPC UA by the last names of their paths', () => {
    const twin = DeviceTwin.of(
      {
        functions: {
          set_target: { write: '/Objects/Reactor/2:Target' },
          temperature: { read: '/Objects/Reactor/Temperature' },
        },
        twin: { state: { Temperature: 20 }, follow: { Temperature: { to: 'Target', rate: 2 } } },
      },
      0,
    );
    twin?.call('set_target', { value: 30 }, 1);
    expect(twin?.whenReached('Temperature', 26, 1)).toBe(4);
    expect(twin?.whenReached('Temperature', 31, 1)).toBeUndefined();
    expect(twin?.call('temperature', {}, 3)).toEqual({ end: 3, result: 24 });
  });

  it('is none for a device whose functions are code', () => {
    expect(DeviceTwin.of({ speed: 3 }, 0)).toBeUndefined();
    expect(() => DeviceTwin.of({ functions: { a: {} } }, 0)?.call('b', {}, 0)).toThrow(
      'there is no function b: a',
    );
  });
});
