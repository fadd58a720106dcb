import { describe, expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

describe('the time of a retry', () => {
  it('is not missed when it passes during a commit', async () => {
    const test = new TestLab();
    test.lab('l', { a: 'arm', b: 'mixer' });
    test.protocol('first', [{ name: 't', devices: { d: device('l.a') } }]);
    test.protocol('second', [{ name: 't', devices: { d: device('l.b') } }]);
    await test.open();
    test.agents.onCall = (kind) => (kind === 'start' ? 'refused' : 'delivered');
    await test.run('one', 'first');
    await test.clock.advance(1);
    await test.run('two', 'second');
    test.agents.onCall = () => 'delivered';
    // The first is due after 200 ms. The second is due 1 ms later, during the commit that starts the first.
    test.store.beforeCommit = () => new Promise((resolve) => void test.clock.after(5, resolve));
    await test.clock.advance(1_000);
    expect(test.running()).toEqual(['one/t', 'two/t']);
  });
});
