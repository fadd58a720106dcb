import { agentEvents, orchestratorEvents, orchestratorRequests, ServiceError } from '@lab/contracts';
import type { Engine, Store } from '@lab/engine';
import {
  announceLeadership,
  engineHandlers,
  engineListeners,
  engineUnder,
  Leadership,
  OptimizerDirectory,
  type Lease,
  type RequestsBesideEngine,
  type Term,
} from '@lab/leader-wiring';
import { handledBy, serveAll, type Bus, type HandlersOf } from '@lab/messaging';
import type { Log } from '@lab/ports';
import { CpsatPolicy, GreedyPolicy, inlineSearcher, type Policy } from '@lab/scheduling';
import type { Life } from '../surroundings/life.js';
import type { Surroundings } from '../surroundings/surroundings.js';
import { SimulatedProcess, traceOf } from './process.js';

/** What one instance of the orchestrator works with while it lives. */
interface Parts {
  life: Life;
  instance: string;
  bus: Bus;
  store: Store;
  optimizers: OptimizerDirectory;
  log: Log;
}

/** One instance of the orchestrator, leading or in reserve. The wiring is that of `apps/orchestrator`. */
export class SimulatedOrchestrator extends SimulatedProcess {
  /** The engine, while this instance leads or believes that it does. */
  engine: Engine | undefined;
  #leadership: Leadership | undefined;

  protected start(life: Life, number: number): void {
    this.#run(life, `${this.name}.${number}`).catch((error: unknown) => {
      // Like the real process: a takeover that cannot succeed ends it.
      this.world.history.defect(`${this.name} could not lead`, error);
      life.end();
    });
  }

  /** The orchestrator gives the leadership back. */
  protected stop(life: Life): void {
    const stopped = this.#leadership?.stop() ?? Promise.resolve();
    void stopped.then(() => life.end());
  }

  protected ended(): void {
    this.engine = undefined;
    this.#leadership = undefined;
  }

  async #run(life: Life, instance: string): Promise<void> {
    const bus = this.world.network.connect(life);
    const store = this.world.database.of(life);
    const optimizers = await OptimizerDirectory.listen(bus, { clock: life, timers: life });
    const log = logOf(this.world, this.name);
    const leadership = new Leadership({ store, clock: life, timers: life, log }, instance, (lease) =>
      this.#begin({ life, instance, bus, store, optimizers, log }, lease),
    );
    this.#leadership = leadership;
    await bus.subscribe(orchestratorEvents.leading, {}, (leader) => leadership.hear(leader.instance));
    await leadership.run();
  }

  /** Takes over. The order of its steps is that of `beginTerm` in `apps/orchestrator`. */
  async #begin({ life, instance, bus, store, optimizers, log }: Parts, lease: Lease): Promise<Term> {
    const { world } = this;
    const { ids, definitions } = world;
    const policy = policyOf(world, life, log);
    const ports = { clock: life, timers: life, ids, store, definitions, policy, log };
    const engine = engineUnder(lease, { bus, optimizers, signer: { sign: JSON.stringify }, ports });
    try {
      await engine.start(instance, lease.epoch);
    } catch (error) {
      await engine.stop();
      throw error;
    }
    this.engine = engine;
    const served = await serveAll(
      bus,
      [
        ...handledBy(orchestratorRequests, { ...engineHandlers(engine), ...fileHandlers(engine) }),
        ...handledBy(agentEvents, engineListeners(engine)),
      ],
      { when: () => lease.held },
    );
    const stopAnnouncing = announceLeadership(bus, lease, engine, life, instance);
    return {
      end: async () => {
        stopAnnouncing();
        await Promise.all(served.map((subscription) => subscription.unsubscribe()));
        await engine.stop();
        if (this.engine === engine) this.engine = undefined;
      },
    };
  }
}

/** Searches are short, because what they find is not looked at here. */
function policyOf({ seed, schedule }: Surroundings, life: Life, log: Log): Policy {
  if (!schedule.plansAhead) return new GreedyPolicy();
  const searcher = inlineSearcher({ rounds: 5 });
  const knobs = { time_limit: 1, seed, resolution: 0.1, frozen_window: 5 };
  return new CpsatPolicy({ clock: life, searcher, exact: null, log }, knobs);
}

/** Files go to the simulated object store; code and simulations are not simulated. */
function fileHandlers(
  engine: Engine,
): HandlersOf<Pick<typeof orchestratorRequests, keyof RequestsBesideEngine>> {
  const none = (): never => {
    throw new ServiceError('not_found', 'the fault simulator does not simulate this request');
  };
  return {
    uploadTicket: ({ attempt_id: id, name }) => {
      if (engine.views.attempt(id) === undefined)
        throw new ServiceError('not_found', `there is no attempt ${id}`);
      return { method: 'PUT' as const, url: `store:${id}/${name}`, headers: {} };
    },
    downloadTicket: none,
    fetchModule: none,
    simulate: none,
    simulateProtocolRun: none,
    dryRun: none,
  };
}

/** What is logged when something went wrong that is nobody's fault but the program's. */
const defects = [
  'defect',
  'a scheduling policy failed',
  'plan refused',
  'planning broke down',
  'a plan has faults',
  'what the plan starts has faults',
  'a search could not begin',
];

function logOf(world: Surroundings, who: string): Log {
  const trace = traceOf(world, who);
  const write =
    (level: keyof Log) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (defects.some((defect) => message.startsWith(defect)))
        world.history.defect(who, `${message}: ${JSON.stringify(fields)}`);
      else trace[level](message, fields);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
