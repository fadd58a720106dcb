import { agentEvents, orchestratorRequests } from '@lab/contracts';
import type { Engine } from '@lab/engine';
import type { HandlersOf } from '@lab/messaging';

/** The requests that need more than the engine: files, code and simulations. */
export type RequestsBesideEngine = Pick<
  typeof orchestratorRequests,
  'uploadTicket' | 'downloadTicket' | 'fetchModule' | 'simulate' | 'simulateProtocolRun' | 'dryRun'
>;

type EngineRequests = Omit<typeof orchestratorRequests, keyof RequestsBesideEngine>;

/**
 * Which method of the engine answers each request. The engine answers a request that changes something after the commit;
 * in particular, it acknowledges the result of an attempt only then.
 */
export function engineHandlers(engine: Engine): HandlersOf<EngineRequests> {
  const { changes, optimizers, present } = engine;
  return {
    submitProtocolRun: (submission) => engine.submitProtocolRun(submission),
    submitCampaign: (submission) => engine.submitCampaign(submission),
    submitTask: (submission) => engine.submitTask(submission),
    cancelProtocolRun: ({ name }) => engine.cancelProtocolRun(name),
    cancelCampaign: ({ name }) => engine.cancelCampaign(name),
    cancelTask: ({ name, protocol_run_name: run }) => engine.cancelTask(name, run),

    changeTask: ({ name, protocol_run_name: run, change, by }) => changes.task(name, run, change, by),
    changeProtocolRun: ({ name, change, by }) => changes.protocolRun(name, change, by),
    changeCampaign: ({ name, change, by }) => changes.campaign(name, change, by),
    archiveWork: ({ kind, name, by }) => changes.archive(kind, name, by),
    restoreWork: ({ kind, name, by }) => changes.restore(kind, name, by),

    pauseProtocolRun: ({ name, by }) => engine.pauseProtocolRun(name, by),
    resumeProtocolRun: ({ name, by }) => engine.resumeProtocolRun(name, by),
    pauseCampaign: ({ name, by }) => engine.pauseCampaign(name, by),
    resumeCampaign: ({ name, by, optimizer_overrides: overrides }) =>
      engine.resumeCampaign(name, by, overrides),
    pauseQueue: ({ by }) => engine.pauseQueue(by),
    resumeQueue: ({ by }) => engine.resumeQueue(by),

    configureOptimizer: ({ name, by, runtime_params: params }) => optimizers.configure(name, by, params),
    addInsight: ({ name, by, text }) => optimizers.addInsight(name, by, text),
    readOptimizer: ({ name, explain }) => optimizers.read(name, explain),
    readOptimizerDefaults: ({ protocol, optimizer_ip: address }) => optimizers.defaults(protocol, address),

    resolveAttention: (decision) => engine.resolveAttention(decision),
    resetResource: (asked) => engine.resources.reset(asked),
    engageStop: (stop) => engine.engageStop(stop),
    releaseStop: ({ id, by }) => engine.releaseStop(id, by),

    readQueue: (query) => engine.queue(query),
    readSchedule: (query) => engine.schedule(query),
    readEstimates: () => engine.estimates(),
    locateDevice: ({ lab, device }) => present.locate(lab, device),
    listDevices: () => ({ devices: present.devices() }),
    listAgents: () => ({ agents: present.agents() }),

    registerAgent: (agent) => engine.registerAgent(agent),
    reportResult: async (result) => {
      await engine.attemptEnded(result);
      return {};
    },
  };
}

/** What the engine does with the events of agents. Any of them may be lost. */
export function engineListeners(engine: Engine): HandlersOf<typeof agentEvents> {
  return {
    // The gateway sends an emergency stop to all agents at once. The leader records it even if the gateway dies then.
    emergencyStop: (stop) => engine.stopHeard(stop),
    heartbeat: (beat, { tokens }) => engine.agentAlive(tokens.computer, beat),
    deviceChanged: ({ inc, device }, { tokens }) => engine.deviceChanged(tokens.computer, inc, device),
    leaving: ({ inc, session }, { tokens }) => engine.agentLeaving(tokens.computer, inc, session),
  };
}
