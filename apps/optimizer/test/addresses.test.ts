import { describe, expect, it } from 'vitest';
import { ownAddresses } from '../src/addresses.js';

describe('the addresses of a computer', () => {
  it('include those of all networks once and always the loopback address', () => {
    const network = { netmask: '', mac: '', internal: false, cidr: null, family: 'IPv4' as const };
    expect(
      ownAddresses({
        eth0: [{ ...network, address: '10.0.0.7' }],
        wlan0: [{ ...network, address: '10.0.0.7' }],
      }),
    ).toEqual(['10.0.0.7', '127.0.0.1']);
  });
});
