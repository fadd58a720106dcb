import { Bonjour, type Service } from 'bonjour-service';
import { randomUUID } from 'node:crypto';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';
import { afterEach, describe, expect, it } from 'vitest';
import { announce, discover, type Announced, type Announcement } from '../../src/network/index.js';
import { selfSigned } from '../self-signed.js';

/** Announcements on the loopback interface only. */

const loopback = '127.0.0.1';
const soon = { timeout: 20_000 };
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end();
});

/** Listens to what is announced. */
function listener(): { up: Service[]; down: string[] } {
  const options: object = { interface: loopback, bind: '0.0.0.0' };
  const bonjour = new Bonjour(options);
  const browser = bonjour.find({ type: 'sila' });
  const heard = { up: [] as Service[], down: [] as string[] };
  browser.on('up', (service: Service) => heard.up.push(service));
  browser.on('down', ({ name }: Service) => heard.down.push(name));
  open.push(() => new Promise<void>((resolve) => bonjour.destroy(resolve)));
  return heard;
}

async function announced(more: Partial<Announced> = {}): Promise<Announcement & { uuid: string }> {
  const uuid = more.uuid ?? randomUUID();
  const address = { host: loopback, port: 50_052 };
  const about = { name: 'color_lab.station_1', version: '1.0', description: 'A station' };
  const announcement = await announce({ uuid, address, ...about, ...more });
  let isOver = false;
  const withdraw = async (): Promise<void> => {
    if (!isOver) await announcement.withdraw();
    isOver = true;
  };
  open.push(withdraw);
  return { uuid, ...announcement, withdraw };
}

const heardOf = (services: readonly Service[], uuid: string): Service | undefined =>
  services.find(({ name }) => name === uuid);

describe('a server that announces itself', () => {
  it('is found with its name and with the address on which it listens, and no other', async () => {
    const heard = listener();
    const { uuid, addresses } = await announced();
    expect(addresses).toEqual([loopback]);
    expect(await discover((each) => each.uuid === uuid, 10_000, loopback)).toContainEqual({
      ...{ uuid, name: 'color_lab.station_1', address: { host: loopback, port: 50_052 } },
    });
    await expect
      .poll(() => heardOf(heard.up, uuid), soon)
      .toMatchObject({
        ...{ type: 'sila', protocol: 'tcp', port: 50_052, host: `${uuid}.local`, addresses: [loopback] },
        txt: { version: '1.0', server_name: 'color_lab.station_1', description: 'A station' },
      });
  });

  it('shows the lines of a certificate that it has issued for itself, and of no other', async () => {
    const heard = listener();
    const { certificate } = selfSigned();
    const own = await announced({ certificate });
    const authority = await makeCertificateAuthority('lab', Date.now());
    const certified = await certifyServer(authority, [loopback], Date.now(), 1);
    const other = await announced({ certificate: certified.certificate });
    await expect.poll(() => [own, other].every(({ uuid }) => heardOf(heard.up, uuid)), soon).toBe(true);
    const shown = heardOf(heard.up, own.uuid)?.txt as Record<string, string>;
    const lines = Object.keys(shown).filter((key) => key.startsWith('ca'));
    expect(lines.map((_, index) => shown[`ca${index}`]).join('\n')).toBe(certificate.trim());
    expect(Object.keys(heardOf(heard.up, other.uuid)?.txt as object).sort()).toEqual([
      ...['description', 'server_name', 'version'],
    ]);
  });

  it('is withdrawn at once when it ends', async () => {
    const heard = listener();
    const { uuid, withdraw } = await announced();
    await expect.poll(() => heardOf(heard.up, uuid), soon).toBeDefined();
    await withdraw();
    // Only a record with the time to live 0 ends it before hours have passed.
    await expect.poll(() => heard.down, soon).toContain(uuid);
    expect((await discover(() => false, 1_500, loopback)).map((each) => each.uuid)).not.toContain(uuid);
  });

  it('is refused the UUID of another one, which stays', async () => {
    const { uuid } = await announced();
    await expect(announced({ uuid })).rejects.toThrow(
      `the server at 127.0.0.1:50052 announces itself in this network with the UUID ${uuid}: is the same device offered twice?`,
    );
    const found = await discover((each) => each.uuid === uuid, 10_000, loopback);
    expect(found.map((each) => each.uuid)).toContain(uuid);
  });

  it('has texts of at most 255 bytes, without half a character', async () => {
    const heard = listener();
    const { uuid } = await announced({ description: 'µ'.repeat(300) });
    await expect.poll(() => heardOf(heard.up, uuid), soon).toBeDefined();
    expect(heardOf(heard.up, uuid)?.txt).toMatchObject({ description: 'µ'.repeat(121) });
  });

  it('that listens everywhere is announced with the address of the chosen interface', async () => {
    const everywhere = { address: { host: '0.0.0.0', port: 50_052 }, networkInterface: loopback };
    expect((await announced(everywhere)).addresses).toEqual([loopback]);
  });

  it('says why it cannot be announced', async () => {
    const address = { host: 'station.invalid', port: 50_052 };
    await expect(announced({ address })).rejects.toThrow(/station\.invalid/);
  });
});
