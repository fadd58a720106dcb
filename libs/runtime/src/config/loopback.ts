import { isIP } from 'node:net';

/** Whether only this computer can reach a host. @param host name or IP address */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
