import { expect, it } from 'vitest';
import { networkOf } from '../../src/http/client-network.js';

it.each([
  ['192.168.0.7', '192.168.0.7'],
  ['::ffff:192.168.0.7', '192.168.0.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3::192.168.0.7', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['1.2.3.4:5', '1.2.3.4:5'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it('a client that left before its request was looked at counts as one of those that left', () => {
  expect(networkOf(undefined)).toBe('gone');
});
