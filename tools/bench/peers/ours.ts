import { join } from 'node:path';
import type { Isolation } from '@lab/contracts';
import { startServiceStack } from '@lab/testkit';
import { until } from '../../shared/measure.js';
import { copyPackages } from '../../shared/folder.js';
import { clientOf, devicesIdle, isOver } from '../../shared/stack.js';
import { protocolParameters, type Peer } from './peer.js';

/**
 * The service with all its processes: database, broker, gateway, orchestrator and agent.
 *
 * @param folder its data, kept from one start to the next
 * @param isolation of the tasks
 */
export function ours(folder: string, isolation: Isolation): Peer {
  const userDir = join(folder, 'packages');
  return {
    title: `ours, ${isolation}`,
    async start() {
      await copyPackages('bench/peers/packages', userDir, isolation);
      const begin = performance.now();
      const stack = await startServiceStack({ userDir, dataDir: join(folder, 'data'), readyMs: 180_000 });
      const api = clientOf(stack.url);
      await devicesIdle(api);
      return {
        readyS: (performance.now() - begin) / 1_000,
        pids: [stack.pid],
        async campaign(name, runs, atOnce) {
          const submitted = Date.now();
          await api.post('/api/campaigns', {
            body: {
              name,
              protocol: 'optimize_multiplication',
              max_protocol_runs: runs,
              max_concurrent_protocol_runs: atOnce,
              protocol_run_parameters: protocolParameters(runs),
            },
          });
          const read = () => api.get('/api/campaigns/{campaign_name}', { path: { campaign_name: name } });
          const { state, reason, ended_at } = await until(read, isOver, 1_800_000, 250);
          if (state !== 'completed') throw new Error(`${name} is ${state}: ${JSON.stringify(reason)}`);
          return (Date.parse(ended_at ?? '') - submitted) / 1_000;
        },
        stop: () => stack.dispose(),
      };
    },
  };
}
