import { Bonjour } from 'bonjour-service';

/**
 * Announces a server of this computer on the loopback interface, as SiLA servers do.
 *
 * @returns a function that ends the announcement
 */
export function announce(uuid: string, name: string, port: number): () => Promise<void> {
  // The library passes its options on to multicast-dns, whose options its type does not name.
  const options: object = { interface: '127.0.0.1', bind: '0.0.0.0' };
  const bonjour = new Bonjour(options);
  const service = bonjour.publish({ name: uuid, type: 'sila', port, txt: { server_name: name } });
  // It would announce the addresses of all interfaces, and the server has only that of loopback. It asks for them later.
  const records = service.records.bind(service);
  service.records = () => records().filter(({ type }) => type !== 'A' && type !== 'AAAA');
  return () => new Promise((resolve) => service.stop(() => bonjour.destroy(resolve)));
}
