import { describe, expect, it } from 'vitest';
import { look } from '../../src/client/index.js';
import { discover } from '../../src/network/index.js';
import { Bench } from '../device-host.js';
import { libraries, Peer, python } from '../peers.js';

const loopback = '127.0.0.1';

describe.skipIf(python === undefined).each(libraries)(
  'a server of %s that announces itself in the network',
  (library) => {
    it('is found, shows its certificate to everybody, and is the device that names its UUID', async () => {
      const peer = await Peer.start(library, { discovery: true, tls: true });
      const found = await discover(({ uuid }) => uuid === peer.uuid, 10_000, loopback);
      expect(found).toContainEqual({ uuid: peer.uuid, name: 'Bench', address: peer.address });
      const seen = await look(peer.address);
      expect(seen).toMatchObject({
        certificate: { commonName: 'SiLA2', selfSigned: true, trusted: false },
        server: { uuid: peer.uuid, type: 'TestServer' },
        problem: undefined,
      });
      expect(seen.features).toContain('org.example/tests/Bench/v1');
      const bench = await Bench.make({
        server_uuid: peer.uuid,
        network_interface: loopback,
        fingerprint: seen.certificate?.fingerprint ?? '',
      });
      expect(await bench.start()).toMatchObject({ type: 'ready' });
      await bench.dispose();
      await peer.kill();
    });
  },
);
