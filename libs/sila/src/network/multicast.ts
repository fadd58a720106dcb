import { Bonjour } from 'bonjour-service';

/**
 * Multicast DNS.
 *
 * @param networkInterface address of the interface to use; undefined: that of the default route
 * @param failed hears an error of the socket
 */
export function multicast(networkInterface: string | undefined, failed: (error: Error) => void): Bonjour {
  // The library passes its options on to multicast-dns, whose options its type does not name.
  const options: object =
    networkInterface === undefined ? {} : { interface: networkInterface, bind: '0.0.0.0' };
  const bonjour = new Bonjour(options, failed);
  // The library listens to no errors of its socket, and an error that nobody hears ends the process.
  (bonjour['server'].mdns as NodeJS.EventEmitter).on('error', failed);
  return bonjour;
}
