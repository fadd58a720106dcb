import { orchestratorRequests } from '@lab/contracts';
import { MemoryBroker } from '@lab/messaging/testing';
import { expect, it } from 'vitest';
import { OrchestratorOverBus } from '../src/orchestrator-over-bus.js';

it('the bus abandons a request to an earlier leader as soon as another leader appears', async () => {
  const broker = new MemoryBroker();
  const bus = broker.connect({ role: 'agent', name: 'a' });
  const leader = broker.connect({ role: 'orchestrator', name: 'o' });
  const orchestrator = new OrchestratorOverBus(bus, 'a');
  orchestrator.hearLeader(3);
  let wake = (): void => undefined;
  let stopped = true;
  await leader.serve(orchestratorRequests.reportResult, {}, () =>
    stopped ? new Promise((resolve) => (wake = () => resolve({}))) : {},
  );
  const report = () =>
    orchestrator.reportResult({
      attempt_id: 'x',
      computer: 'a',
      inc: 1,
      outcome: { kind: 'cancelled' },
    });
  const kept = report();
  orchestrator.hearLeader(3);
  orchestrator.hearLeader(4);
  await expect(kept).rejects.toMatchObject({ code: 'aborted', effect: 'maybe' });
  stopped = false;
  await report();
  wake();
  await Promise.all([bus.close(), leader.close()]);
});
