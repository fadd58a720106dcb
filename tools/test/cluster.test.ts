import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterFaultNames, rounds, type ClusterFaultName } from '../chaos/cluster/faults.js';
import { databaseProxyFile, etcdFile, gatewayProxyFile, patroniFile } from '../chaos/cluster/files.js';
import { haproxy, librariesEnv, natsServer } from '../chaos/cluster/programs.js';
import { root, svc } from '../shared/paths.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const addresses = {
  db1: '10.1.0.1',
  db2: '10.1.0.2',
  db3: '10.1.0.3',
  gateway1: '10.1.0.4',
  gateway2: '10.1.0.5',
};
interface Patroni {
  name: string;
  restapi: { listen: string };
  etcd3?: object;
  bootstrap: { dcs: { ttl: number; loop_wait: number; retry_timeout: number; synchronous_mode: boolean } };
  postgresql: { listen: string; parameters: Record<string, unknown>; pg_hba: string[] };
}

describe('the files of deploy', () => {
  it('promote only a standby that has every commit, and accept no connection without encryption and password', () => {
    const text = readFileSync(join(root, 'deploy', 'postgres', 'patroni.yml'), 'utf8');
    const { bootstrap, postgresql, etcd3 } = load(text) as Patroni;
    const { ttl, loop_wait: wait, retry_timeout: retry, synchronous_mode: synchronous } = bootstrap.dcs;
    expect(synchronous).toBe(true);
    // Patroni overwrites the lock of a successor over this interface.
    expect(etcd3).toBeUndefined();
    expect(wait + 2 * retry).toBeLessThanOrEqual(ttl);
    expect(postgresql.parameters['ssl']).toBe('on');
    expect(postgresql.pg_hba.filter((line) => !/^(local|hostssl) .*scram-sha-256$/.test(line))).toEqual([]);
    expect(text).not.toMatch(/^\s*password:/m);
  });

  it('give each node its own name and addresses', () => {
    const place = { node: 'db2', addresses, folder: '/d' } as const;
    expect(load(patroniFile(place, '/p'))).toMatchObject({
      name: 'db2',
      restapi: { listen: '10.1.0.2:8008', connect_address: '10.1.0.2:8008' },
      postgresql: { listen: '10.1.0.2:5432', bin_dir: '/p', data_dir: '/d/data' },
    });
    expect(load(etcdFile(place))).toMatchObject({
      name: 'db2',
      'listen-client-urls': 'https://10.1.0.2:2379',
      'initial-advertise-peer-urls': 'https://10.1.0.2:2380',
      'initial-cluster': 'db1=https://10.1.0.1:2380,db2=https://10.1.0.2:2380,db3=https://10.1.0.3:2380',
    });
    for (const text of [
      patroniFile(place, '/p'),
      etcdFile(place),
      databaseProxyFile(addresses, '/ca'),
      gatewayProxyFile(addresses),
    ])
      expect(text).not.toMatch(/10\.0\.0\.\d/);
  });

  it('of the proxies are accepted by HAProxy, where tools/cluster.mjs has fetched it', () => {
    const authority = join(root, 'apps', 'nowhere.pem');
    const texts = [gatewayProxyFile(addresses), databaseProxyFile(addresses, authority)];
    expect(texts.every((text) => text.includes('on-marked-down shutdown-sessions'))).toBe(true);
    if (!existsSync(haproxy)) {
      console.log(
        'HAProxy is not here: its configurations were not checked. node tools/cluster.mjs fetches it.',
      );
      return;
    }
    const file = join(folder, 'gateways.cfg');
    writeFileSync(file, texts[0] ?? '');
    execFileSync(haproxy, ['-c', '-f', file], { env: { ...process.env, ...librariesEnv() }, stdio: 'pipe' });
  });

  it('make three brokers whose configurations nats-server accepts', () => {
    const env = { ...process.env, SVC: `${process.execPath} ${svc}`, SVC_DATA_DIR: join(folder, 'data') };
    const nodes = ['lab1=127.0.0.1', 'lab2=127.0.0.2', 'lab3=127.0.0.3'];
    execFileSync(join(root, 'deploy', 'nats', 'print.sh'), [join(folder, 'brokers'), ...nodes], {
      env,
      stdio: 'pipe',
    });
    expect(readdirSync(join(folder, 'brokers'))).toEqual(['lab1', 'lab2', 'lab3']);
    for (const name of ['lab1', 'lab2', 'lab3']) {
      const place = join(folder, 'brokers', name);
      const file = join(place, 'nats.conf');
      const text = readFileSync(file, 'utf8').replaceAll('/etc/svc/broker', place);
      writeFileSync(file, text.replaceAll('/var/lib/svc-nats', join(place, 'accounts')));
      expect(text).toContain(`server_name: "${name}"`);
      execFileSync(natsServer(), ['-t', '-c', file], { stdio: 'pipe' });
    }
  }, 180_000);
});

describe('the faults of a cluster', () => {
  const first = (count: number, seed: number): ClusterFaultName[] => {
    const drawn: ClusterFaultName[] = [];
    for (const { name } of rounds(seed, clusterFaultNames)) {
      drawn.push(name);
      if (drawn.length === count) return drawn;
    }
    return drawn;
  };

  it('occur once in each round, in an order that only the seed decides', () => {
    const all = clusterFaultNames.length;
    const drawn = first(3 * all, 5);
    for (const round of [0, 1, 2])
      expect(new Set(drawn.slice(round * all, (round + 1) * all)).size).toBe(all);
    expect(first(3 * all, 5)).toEqual(drawn);
    expect(first(3 * all, 6)).not.toEqual(drawn);
  });
});
