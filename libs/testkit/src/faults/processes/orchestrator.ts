import {
  agentEvents,
  agentRequests,
  isServiceError,
  orchestratorEvents,
  orchestratorRequests as requests,
  ServiceError,
} from '@lab/contracts';
import { type AgentAddress, type Agents, Engine, type Store } from '@lab/engine';
import type { Log } from '@lab/ports';
import { CpsatPolicy, GreedyPolicy, inlineSearcher, type Policy } from '@lab/scheduling';
import { Life } from '../surroundings/life.js';
import type { Wire } from '../surroundings/network.js';
import { optimizersOverWire } from '../optimizers-over-wire.js';
import type { World } from '../play/world.js';

const announceMs = 1_000;
const lookMs = 200;
const leaseMs = 3_000;
const renewMs = 700;
/** How long a leader acts on a confirmation, in milliseconds; less than the lease. */
const actsForMs = 2_000;
const bootMs = 300;

/** One instance of the orchestrator, leading or in reserve. The wiring is that of `apps/orchestrator`. */
export class SimulatedOrchestrator {
  life: Life | undefined;
  /** The engine, while this instance leads or believes that it does. */
  engine: Engine | undefined;
  #boots = 0;
  #downMs = 0;

  constructor(
    readonly name: string,
    private readonly world: World,
  ) {}

  boot(): void {
    if (this.life !== undefined) return;
    const life = new Life(this.name, this.world.time);
    this.life = life;
    this.#boots += 1;
    this.world.history.note(`${this.name} boots`, `process ${this.#boots}`);
    life.onEnd(() => {
      this.life = undefined;
      this.engine = undefined;
      this.world.restart(this, this.#downMs);
    });
    life.after(bootMs, () => {
      const wire = this.world.network.connect(life);
      this.#stand(life, wire);
    });
  }

  /** The process dies. @param downMs until the next one is started, in milliseconds */
  crash(downMs: number): void {
    if (this.life === undefined) return;
    this.world.history.note(`${this.name} crashes`);
    this.#downMs = downMs;
    this.life.end();
  }

  /** An orderly stop: it gives the leadership back, and is started again after a time, in milliseconds. */
  leave(downMs: number): void {
    const { life } = this;
    if (life === undefined) return;
    this.world.history.note(`${this.name} leaves`);
    this.#downMs = downMs;
    const resigned = this.engine === undefined ? Promise.resolve() : this.#resign(this.engine, life);
    void resigned.then(() => life.end());
  }

  async #resign(engine: Engine, life: Life): Promise<void> {
    await engine.stop();
    await this.world.database
      .of(life)
      .resign(engine.epoch)
      .catch((_away: unknown) => undefined);
  }

  /** Asks for the leadership until it gets it, then leads. */
  #stand(life: Life, wire: Wire): void {
    const store = this.world.database.of(life);
    const askedAt = life.now();
    const again = (): void => void life.after(lookMs, () => this.#stand(life, wire));
    store.lead(this.name, leaseMs).then(
      (epoch) => {
        if (epoch === null) again();
        else this.#lead(life, wire, store, epoch, askedAt);
      },
      (_away: unknown) => again(),
    );
  }

  /** Leads for as long as the database confirms it. */
  #lead(life: Life, wire: Wire, store: Store, epoch: number, askedAt: number): void {
    const { world, name } = this;
    let confirmedAt = askedAt;
    let over = false;
    const held = (): boolean => !over && life.now() - confirmedAt < actsForMs;
    const served: (() => void)[] = [];
    const end = (why: string): void => {
      if (over) return;
      over = true;
      this.engine = undefined;
      for (const each of served) each();
      world.history.note(`${name} leads no more`, why);
      void engine.stop();
      this.#stand(life, wire);
    };
    const demand = (): void => {
      if (!held()) throw new ServiceError('service_unavailable', 'it is not known whether this one leads');
    };
    const commit: Store['commit'] = async (at, changes) => {
      if (!held()) throw new ServiceError('store_unavailable', 'the leadership is not confirmed');
      await store.commit(at, changes);
    };
    const log = logOf(world, name);
    const { optimizers, stop } = optimizersOverWire(wire, life, demand, world.ids);
    served.push(stop);
    const engine = new Engine(
      {
        clock: life,
        timers: life,
        ids: world.ids,
        store: new Proxy(store, {
          get: (_, method: keyof Store) => (method === 'commit' ? commit : store[method]),
        }),
        agents: agentsOver(wire, demand),
        optimizers,
        definitions: world.definitions,
        policy: policyOf(world, life, log),
        log,
      },
      { onDeposed: () => end('deposed') },
    );
    const keep = (): void => {
      if (over) return;
      if (!held()) {
        end('unconfirmed');
        return;
      }
      const since = life.now();
      store.renew(epoch, leaseMs).then(
        (mine) => {
          if (mine) confirmedAt = since;
          else end('deposed');
        },
        (_away: unknown) => undefined,
      );
      life.after(renewMs, keep);
    };
    keep();
    engine.start(name, epoch).then(
      () => {
        if (over) return;
        this.engine = engine;
        served.push(...serve(wire, engine));
        const announce = (): void => {
          if (over) return;
          if (wire.connected)
            wire.publish(
              orchestratorEvents.leading,
              {},
              { epoch, instance: name, ...engine.emergencyStops.known() },
            );
          life.after(announceMs, announce);
        };
        announce();
      },
      (error: unknown) => {
        if (!isServiceError(error)) world.history.defect(`${name} could not lead`, error);
        life.after(lookMs, () => end('could not take over'));
      },
    );
  }
}

/** Every fiftieth schedule plans ahead, which takes fifty times as long; searches are short, for what they find is not looked at here. */
function policyOf({ seed }: World, life: Life, log: Log): Policy {
  if (seed % 50 !== 0) return new GreedyPolicy();
  const searcher = inlineSearcher({ rounds: 5 });
  const knobs = { time_limit: 1, seed, resolution: 0.1, frozen_window: 5 };
  return new CpsatPolicy({ clock: life, searcher, exact: null, log }, knobs);
}

function serve(wire: Wire, engine: Engine): (() => void)[] {
  return [
    wire.serve(requests.submitProtocolRun, {}, (body) => engine.submissions.protocolRun(body)),
    wire.serve(requests.submitCampaign, {}, (body) => engine.submissions.campaign(body)),
    wire.serve(requests.submitTask, {}, (body) => engine.submissions.task(body)),
    wire.serve(requests.cancelProtocolRun, {}, ({ name }) => engine.work.cancelProtocolRun(name)),
    wire.serve(requests.cancelCampaign, {}, ({ name }) => engine.work.cancelCampaign(name)),
    wire.serve(requests.cancelTask, {}, (body) => engine.work.cancelTask(body.name, body.protocol_run_name)),
    wire.serve(requests.changeTask, {}, (body) =>
      engine.changes.task(body.name, body.protocol_run_name, body.change, body.by),
    ),
    wire.serve(requests.changeProtocolRun, {}, ({ name, change, by }) =>
      engine.changes.protocolRun(name, change, by),
    ),
    wire.serve(requests.changeCampaign, {}, ({ name, change, by }) =>
      engine.changes.campaign(name, change, by),
    ),
    wire.serve(requests.archiveWork, {}, ({ kind, name, by }) => engine.changes.archive(kind, name, by)),
    wire.serve(requests.restoreWork, {}, ({ kind, name, by }) => engine.changes.restore(kind, name, by)),
    wire.serve(requests.pauseProtocolRun, {}, ({ name, by }) => engine.work.pauseProtocolRun(name, by)),
    wire.serve(requests.resumeProtocolRun, {}, ({ name, by }) => engine.work.resumeProtocolRun(name, by)),
    wire.serve(requests.pauseCampaign, {}, ({ name, by }) => engine.work.pauseCampaign(name, by)),
    wire.serve(requests.resumeCampaign, {}, (body) =>
      engine.work.resumeCampaign(body.name, body.by, body.optimizer_overrides),
    ),
    wire.serve(requests.configureOptimizer, {}, (body) =>
      engine.optimizers.configure(body.name, body.by, body.runtime_params),
    ),
    wire.serve(requests.addInsight, {}, (body) =>
      engine.optimizers.addInsight(body.name, body.by, body.text),
    ),
    wire.serve(requests.readOptimizer, {}, ({ name, explain }) => engine.optimizers.read(name, explain)),
    wire.serve(requests.readOptimizerDefaults, {}, ({ protocol }) => engine.optimizers.defaults(protocol)),
    wire.serve(requests.pauseQueue, {}, ({ by }) => engine.queuePause.pause(by)),
    wire.serve(requests.resumeQueue, {}, ({ by }) => engine.queuePause.resume(by)),
    wire.serve(requests.readQueue, {}, (query) => engine.views.queue(query)),
    wire.serve(requests.resolveAttention, {}, (decision) => engine.attention.decide(decision)),
    wire.serve(requests.resetResource, {}, (asked) => engine.resources.reset(asked)),
    wire.serve(requests.engageStop, {}, (halt) => engine.emergencyStops.engage(halt)),
    wire.serve(requests.releaseStop, {}, ({ id, by }) => engine.emergencyStops.release(id, by)),
    wire.serve(requests.locateDevice, {}, ({ lab, device }) => engine.views.locate(lab, device)),
    wire.serve(requests.listDevices, {}, () => ({ devices: engine.views.devices() })),
    wire.serve(requests.listAgents, {}, () => ({ agents: engine.views.agents() })),
    wire.serve(requests.readSchedule, {}, (query) => engine.views.schedule(query)),
    wire.serve(requests.readEstimates, {}, () => engine.views.estimates()),
    wire.serve(requests.registerAgent, {}, (hello) => engine.agents.register(hello)),
    wire.serve(requests.reportResult, {}, async (result) => {
      await engine.agents.attemptEnded(result);
      return {};
    }),
    wire.serve(requests.uploadTicket, {}, ({ attempt_id: id, name }) => {
      if (engine.views.attempt(id) === undefined)
        throw new ServiceError('not_found', `there is no attempt ${id}`);
      return { method: 'PUT' as const, url: `store:${id}/${name}`, headers: {} };
    }),
    wire.subscribe(agentEvents.emergencyStop, {}, (halt) => engine.emergencyStops.heard(halt)),
    wire.subscribe(agentEvents.heartbeat, {}, (beat, _, { computer }) =>
      engine.agents.heartbeat(computer, beat),
    ),
    wire.subscribe(agentEvents.deviceChanged, {}, (change, _, { computer }) =>
      engine.agents.deviceChanged(computer, change.inc, change.device),
    ),
    wire.subscribe(agentEvents.leaving, {}, ({ inc, session }, _, { computer }) =>
      engine.agents.leaving(computer, inc, session),
    ),
  ];
}

function agentsOver(wire: Wire, demand: () => void): Agents {
  const tokens = ({ computer, inc }: AgentAddress) => ({ computer, inc: String(inc) });
  const marks = ({ epoch, inc }: AgentAddress) => ({ epoch, inc });
  return {
    async start(to, start) {
      demand();
      const fence = Object.fromEntries(
        Object.values(start.devices).map((device) => [`${device.lab}.${device.name}`, device.fence]),
      );
      const all = { ...marks(to), fence, ...(to.fresh === undefined ? {} : { fresh: to.fresh }) };
      return (await unreachable(wire.request(agentRequests.startTask, tokens(to), start, all), to)).status;
    },
    async cancel(to, attemptId, reason) {
      demand();
      const body = { attempt_id: attemptId, reason };
      return (await unreachable(wire.request(agentRequests.cancelTask, tokens(to), body, marks(to)), to))
        .status;
    },
    async status(to, attemptId) {
      demand();
      const body = { attempt_id: attemptId };
      return (await unreachable(wire.request(agentRequests.taskStatus, tokens(to), body, marks(to)), to))
        .status;
    },
    async assignDevices(to, devices) {
      demand();
      await unreachable(wire.request(agentRequests.assignDevices, tokens(to), { devices }, marks(to)), to);
    },
    async resetDevice(to, { lab, name }, doubtId, by) {
      demand();
      const body = { doubt_id: doubtId, by };
      const at = { ...tokens(to), lab, device: name };
      await unreachable(wire.request(agentRequests.resetDevice, at, body, marks(to)), to);
    },
  };
}

async function unreachable<T>(reply: Promise<T>, to: AgentAddress): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (isServiceError(error) && error.code === 'service_unavailable' && error.effect === 'none')
      throw new ServiceError('agent_unreachable', `the agent of ${to.computer} does not answer`);
    throw error;
  }
}

/** What is logged when something went wrong that is nobody's fault but the program's. */
const defects = [
  'defect',
  'a policy broke down',
  'plan refused',
  'planning broke down',
  'a plan has faults',
  'what the plan starts has faults',
  'a search could not begin',
];

function logOf(world: World, who: string): Log {
  const write =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (defects.some((defect) => message.startsWith(defect)))
        world.history.defect(who, `${message}: ${JSON.stringify(fields)}`);
      else world.history.note(`  ${who} ${level}: ${message}`, JSON.stringify(fields).slice(0, 300));
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
