import { expect, it } from 'vitest';
import { isLoopback } from '../../src/config/loopback.js';

it.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['192.168.1.2', false],
  ['127.example.com', false],
])('whether only this computer reaches %s: %s', (host, expected) => expect(isLoopback(host)).toBe(expected));
