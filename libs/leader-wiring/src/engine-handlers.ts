import { ServiceError, type agentEvents, type orchestratorRequests } from '@lab/contracts';
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
  const { changes, optimizers, views } = engine;
  return {
    submitProtocolRun: ({ rights, ...submission }) => engine.submissions.protocolRun(submission, rights),
    submitCampaign: ({ rights, ...submission }) => engine.submissions.campaign(submission, rights),
    submitTask: ({ rights, ...submission }) => engine.submissions.task(submission, rights),
    cancelProtocolRun: ({ name }) => engine.work.cancelProtocolRun(name),
    cancelCampaign: ({ name }) => engine.work.cancelCampaign(name),
    cancelTask: ({ name, protocol_run_name: run }) => engine.work.cancelTask(name, run),

    changeTask: ({ name, protocol_run_name: run, change, by, rights }) =>
      changes.task(name, run, change, by, rights),
    changeProtocolRun: ({ name, change, by, rights }) => changes.protocolRun(name, change, by, rights),
    changeCampaign: ({ name, change, by, rights }) => changes.campaign(name, change, by, rights),
    archiveWork: ({ kind, name, by }) => changes.archive(kind, name, by),
    restoreWork: ({ kind, name, by }) => changes.restore(kind, name, by),
    deleteWork: (asked) => engine.deletions.add(asked),
    keepWork: ({ kind, name, by }) => engine.deletions.keep(kind, name, by),
    addHold: (asked) => engine.legalHolds.add(asked),
    releaseHold: (asked) => engine.legalHolds.release(asked),
    listHolds: () => ({ holds: engine.legalHolds.list() }),

    pauseProtocolRun: ({ name, by }) => engine.work.pauseProtocolRun(name, by),
    resumeProtocolRun: ({ name, by, rights }) => engine.work.resumeProtocolRun(name, by, rights),
    pauseCampaign: ({ name, by }) => engine.work.pauseCampaign(name, by),
    resumeCampaign: ({ name, by, optimizer_overrides: overrides, rights }) =>
      engine.work.resumeCampaign(name, by, overrides, rights),
    pauseQueue: ({ by }) => engine.queuePause.pause(by),
    resumeQueue: ({ by }) => engine.queuePause.resume(by),
    drain: async ({ campaign, by }) => {
      await engine.drains.begin(campaign, by);
      return views.drain(campaign);
    },
    endDrain: async ({ campaign, by }) => {
      await engine.drains.end(campaign, by);
      return views.drain(campaign);
    },
    readDrain: ({ campaign }) => views.drain(campaign),

    configureOptimizer: ({ name, by, runtime_params: params }) => optimizers.configure(name, by, params),
    addInsight: ({ name, by, text }) => optimizers.addInsight(name, by, text),
    readOptimizer: ({ name, explain }) => optimizers.read(name, explain),
    readOptimizerDefaults: ({ protocol, optimizer_ip: address }) => optimizers.defaults(protocol, address),

    claimAttention: (claim) => engine.attention.claim(claim),
    releaseAttention: (release) => engine.attention.release(release),
    resolveAttention: (decision) => engine.attention.decide(decision),
    disableDevice: (asked) => engine.outages.disable(asked),
    enableDevice: (asked) => engine.outages.enable(asked),
    drainComputer: (asked) => engine.outages.drain(asked),
    resumeComputer: (asked) => engine.outages.resume(asked),
    startRollout: (asked) => engine.rollouts.start(asked),
    resumeRollout: (asked) => engine.rollouts.resume(asked),
    cancelRollout: (asked) => engine.rollouts.cancel(asked),
    listRollouts: () => ({ rollouts: engine.rollouts.list() }),
    addReservation: (asked) => engine.reservations.add(asked),
    endReservation: (asked) => engine.reservations.end(asked),
    restartDevice: (asked) => engine.deviceRestarts.restart(asked),
    resetResource: (asked) => engine.resources.reset(asked),
    setResource: (asked) => engine.resources.set(asked),
    engageStop: (stop) => engine.emergencyStops.engage(stop),
    releaseStop: ({ id, by }) => engine.emergencyStops.release(id, by),

    readQueue: (query) => engine.views.queue(query),
    readUsage: (query) => engine.views.usage(query),
    readSchedule: (query) => engine.views.schedule(query),
    readEstimates: () => engine.views.estimates(),
    locateDevice: ({ lab, device }) => views.locate(lab, device),
    listDevices: ({ brief }) => ({ devices: views.devices(brief) }),
    listReservations: () => ({ reservations: views.reservations() }),
    listAgents: () => ({ agents: views.agents() }),

    registerAgent: (agent, { tokens }) => engine.agents.register(ofItself(agent, tokens)),
    reportResult: async (result, { tokens }) => {
      ofItself(result, tokens);
      await engine.agents.attemptEnded(result);
      return {};
    },
  };
}

/**
 * What an agent says of its computer. The broker lets an agent use the subjects of its own computer alone.
 *
 * @throws ServiceError `forbidden` when the agent names another computer
 */
function ofItself<Said extends { computer: string }>(said: Said, { computer }: { computer: string }): Said {
  if (said.computer === computer) return said;
  throw new ServiceError('forbidden', `the agent of ${computer} must not speak for ${said.computer}`);
}

/** What the engine does with the events of agents. Any of them may be lost. */
export function engineListeners(engine: Engine): HandlersOf<typeof agentEvents> {
  return {
    // The gateway sends an emergency stop to all agents at once. The leader records it even if the gateway dies then.
    emergencyStop: (stop) => engine.emergencyStops.heard(stop),
    heartbeat: (beat, { tokens }) => engine.agents.heartbeat(tokens.computer, beat),
    deviceChanged: ({ inc, device }, { tokens }) => engine.agents.deviceChanged(tokens.computer, inc, device),
    leaving: ({ inc, session }, { tokens }) => engine.agents.leaving(tokens.computer, inc, session),
  };
}
