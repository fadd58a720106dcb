import { describe, expect, it } from 'vitest';
import { gatewayAddress, proxyAddress } from '../../src/joining/index.js';

describe('the address of the service', () => {
  it.each([
    ['https://lab-server:8443', 'https://lab-server:8443'],
    ['https://lab-server:8443/', 'https://lab-server:8443'],
    ['https://Lab-Server/computers?x', 'https://lab-server'],
    ['http://127.0.0.1:8070', 'http://127.0.0.1:8070'],
    ['http://[::1]:8070', 'http://[::1]:8070'],
  ])('%s leads to %s', (typed, address) => {
    expect(gatewayAddress(typed)).toBe(address);
  });

  it.each(['lab-server', 'lab-server:8443', 'http://lab-server:8443', 'ftp://lab-server', ''])(
    '%s is refused, because what is sent there must be encrypted',
    (typed) => {
      expect(() => gatewayAddress(typed)).toThrow(`as in https://lab-server:8443; "${typed}" does not.`);
    },
  );
});

describe('the address of a proxy', () => {
  it.each([
    ['http://proxy.example.org:3128', 'http://proxy.example.org:3128'],
    ['proxy.example.org:3128', 'http://proxy.example.org:3128'],
    ['ann:secret@proxy:3128', 'http://ann:secret@proxy:3128'],
    ['https://proxy', 'https://proxy'],
  ])('%s is %s', (typed, address) => {
    expect(proxyAddress(typed)).toBe(address);
  });

  it.each(['socks5://ann:secret@proxy:1080', 'ann:secret@pro xy', ''])(
    '%s is refused without its password',
    (typed) => {
      expect(() => proxyAddress(typed)).toThrow('must look like http://proxy.example.org:3128');
      expect(() => proxyAddress(typed)).not.toThrow('secret');
    },
  );
});
