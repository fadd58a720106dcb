import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@lab/testkit';
import { until } from '../../shared/measure.js';
import { jsonBody, request, startDatabase, startProgram } from './program.js';
import { protocolParameters, type Peer } from './peer.js';

interface Campaign {
  status: 'CREATED' | 'RUNNING' | 'COMPLETED' | 'SUSPENDED' | 'CANCELLED' | 'FAILED';
  error_message: string | null;
  end_time: string | null;
}

/**
 * EOS as its readme starts it: `eos start` with its example, the default configuration, its own Ray and PostgreSQL.
 *
 * @param installation what `installEos` made
 * @param folder its data, kept from one start to the next
 * @param hz how often its loop looks for work and ended tasks; undefined: its default, 10
 */
export function eos(title: string, installation: string, folder: string, hz?: number): Peer {
  return {
    title,
    async start() {
      await cp(join(installation, 'source', 'user', 'example'), join(folder, 'user', 'example'), {
        recursive: true,
      });
      await cp(join(installation, 'source', 'config.example.yml'), join(folder, 'config.yml'));
      if (hz !== undefined)
        await appendFile(join(folder, 'config.yml'), `\norchestrator_hz: { rate: ${hz} }\n`);
      const database = await startDatabase(join(folder, 'database'));
      const files = await startEmptyBucket();
      // Ray makes sockets in it; their paths must be short.
      const ray = await mkdtemp(join(tmpdir(), 'svc-ray-'));
      const { port, username, password } = new URL(database.url);
      const apiPort = await freePort();
      const begin = performance.now();
      const program = await startProgram({
        name: 'eos',
        command: join(installation, 'venv', 'bin', 'eos'),
        args: ['start'],
        folder,
        env: {
          EOS_POSTGRES_HOST: '127.0.0.1',
          EOS_POSTGRES_PORT: port,
          EOS_POSTGRES_USER: username,
          EOS_POSTGRES_PASSWORD: decodeURIComponent(password),
          EOS_S3_ENDPOINT_URL: files.url,
          EOS_S3_ACCESS_KEY_ID: 'peers',
          EOS_S3_SECRET_ACCESS_KEY: 'peers',
          EOS_WEB_API_HOST: '127.0.0.1',
          EOS_WEB_API_PORT: String(apiPort),
          RAY_TMPDIR: ray,
          RAY_USAGE_STATS_ENABLED: '0',
          // Despite its name, this keeps Ray on loopback.
          RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER: '0',
        },
      });
      const api = `http://127.0.0.1:${apiPort}/api`;
      const stop = async (): Promise<void> => {
        await program.stop();
        await files.stop();
        await database.stop();
        await rm(ray, { recursive: true, force: true });
      };
      try {
        // It serves only once its laboratory and protocol are loaded.
        await program.ready(async () => (await fetch(`${api}/health`)).ok);
      } catch (error) {
        await stop();
        throw error;
      }
      return {
        readyS: (performance.now() - begin) / 1_000,
        pids: [program.pid, database.pid],
        async campaign(name, runs, atOnce) {
          const submitted = Date.now();
          const submission = {
            name,
            protocol: 'optimize_multiplication',
            owner: 'peers',
            max_protocol_runs: runs,
            max_concurrent_protocol_runs: atOnce,
            optimize: false,
            protocol_run_parameters: protocolParameters(runs),
          };
          await request(`${api}/campaigns/`, jsonBody(submission));
          const read = () => request(`${api}/campaigns/${name}`) as Promise<Campaign>;
          const isOver = ({ status }: Campaign): boolean => status !== 'CREATED' && status !== 'RUNNING';
          const { status, error_message, end_time } = await until(read, isOver, 1_800_000, 250);
          if (status !== 'COMPLETED') throw new Error(`${name} is ${status}: ${error_message}`);
          if (files.refused.length > 0) throw new Error(`EOS asked for files: ${files.refused.join(', ')}`);
          return (Date.parse(end_time ?? '') - submitted) / 1_000;
        },
        stop,
      };
    },
  };
}

interface EmptyBucket {
  url: string;
  /** Requests that an empty bucket cannot answer. */
  refused: string[];
  stop(): Promise<void>;
}

/**
 * In place of the S3 server: it answers that the bucket exists, which EOS asks once when it starts. The campaign has no files.
 */
async function startEmptyBucket(): Promise<EmptyBucket> {
  const refused: string[] = [];
  const server = createServer(({ method, url }, response) => {
    const isKnown = method === 'HEAD' && url === '/eos';
    if (!isKnown) refused.push(`${method} ${url}`);
    response.writeHead(isKnown ? 200 : 501).end();
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    refused,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
