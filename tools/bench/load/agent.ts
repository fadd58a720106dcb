import { Agent, DiskLedger } from '@lab/actors';
import { FolderLedgerDisk } from '@lab/agent/parts';
import { wireAgent, type AgentService } from '@lab/agent-wiring';
import { connectBus, type Bus } from '@lab/messaging';
import { createLog, steadyClock, systemClock, systemIds, systemTimers } from '@lab/runtime';

type Ports = ConstructorParameters<typeof Agent>[1];
type Limits = ConstructorParameters<typeof Agent>[2];
type Own = 'modules' | 'checkArguments' | 'deviceProcesses' | 'taskProcesses' | 'files';

interface Parts {
  bus: Bus;
  log: ReturnType<typeof createLog>;
  service: AgentService;
  orchestrator: Ports['orchestrator'];
  peers: Ports['peers'];
}

/**
 * Starts an agent in this process. It is composed as in apps/agent, with a ledger on disk and a connection.
 *
 * @param folder of the ledger
 * @param own makes the ports that differ
 */
export async function startAgent(
  { computer, folder, natsUrl }: { computer: string; folder: string; natsUrl: string },
  limits: Limits,
  own: (parts: Parts) => Pick<Ports, Own> & Partial<Ports>,
): Promise<{ agent: Agent; bus: Bus; stop: () => Promise<void> }> {
  const log = createLog({ service: 'agent', level: 'error' }).child({ computer });
  const bus = await connectBus({ url: natsUrl, role: 'agent', name: `${computer}/bench`, log });
  const identity = { computer, version: 'bench' };
  const time = { clock: steadyClock, wall: systemClock, timers: systemTimers };
  const { service, orchestrator, peers, effects } = wireAgent({ bus, log, ...time, ...identity });
  const ledger = new DiskLedger(new FolderLedgerDisk(folder), { log, timers: systemTimers });
  const random = { next: () => Math.random() };
  const ports = {
    ...time,
    ids: systemIds,
    random,
    log,
    ledger,
    orchestrator,
    peers,
    announcer: service,
    effects,
  };
  const agent = new Agent(identity, { ...ports, ...own({ bus, log, service, orchestrator, peers }) }, limits);
  await service.start(agent);
  await agent.start();
  return {
    agent,
    bus,
    async stop() {
      service.stopBeating();
      service.announceLeaving();
      await agent.stop('the benchmark is over');
      await service.stop();
      await bus.close();
    },
  };
}
