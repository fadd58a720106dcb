import type { Agent, Announcer, MessageMarks } from '@lab/actors';
import {
  agentEvents,
  agentRequests as requests,
  emergencyStopCovers,
  deviceGrant,
  orchestratorEvents,
  peerRequests,
  serviceRequests,
  ServiceError,
  stopReport,
  type DeviceStatus,
  type EmergencyStop,
  type Envelope,
  type DeviceGrant,
  type JsonObject,
  type ReplyOf,
  type ServiceHealth,
} from '@lab/contracts';
import type { Bus, Subscription } from '@lab/messaging';
import type { Clock, Log, Timers } from '@lab/ports';
import { agentTimings } from './timings.js';

export interface ServiceParts {
  bus: Bus;
  /** Gets every announcement of a leader before the agent does. */
  orchestrator: { hearLeader(epoch: number): void };
  log: Pick<Log, 'error'>;
  computer: string;
  version: string;
  /** For differences of time: a clock that never steps. */
  clock: Clock;
  wall: Clock;
  timers: Timers;
  /** Undefined: this agent knows no authority, and the broker decides alone. */
  authority?: GrantAuthority | undefined;
}

/** Whose grants of devices this agent believes. */
export interface GrantAuthority {
  /** Reads signed statements of orchestrators; undefined: no key that this agent believes has signed it. */
  check: { read(signed: string): unknown; believes(publicKey: string): boolean };
  /** Asks whether the service has replaced its key. Resolves when the answer is there. Never rejects. */
  doubt?(): Promise<void>;
}

/** Connects the agent to the broker: requests under `{computer}.{inc}`, heartbeats, changes of devices, health. */
export class AgentService implements Announcer {
  readonly #startedAt: number;
  #agent: Agent | undefined;
  #inc: number | undefined;
  #served: Subscription[] = [];
  #listening: Subscription[] = [];
  #forget: () => void = () => undefined;
  #stopBeating: () => void = () => undefined;

  constructor(private readonly parts: ServiceParts) {
    this.#startedAt = parts.clock.now();
  }

  /** Listens for leaders, emergency stops and health requests, and tells the agent when the broker is back. */
  async start(agent: Agent): Promise<void> {
    const { bus, orchestrator } = this.parts;
    this.#agent = agent;
    this.#listening = await Promise.all([
      bus.subscribe(orchestratorEvents.leading, {}, ({ epoch, halts, released, service_key: key }) => {
        const { authority } = this.parts;
        // It only makes the agent ask: whoever leads may not be believed.
        if (key !== undefined && authority?.check.believes(key) === false) void authority.doubt?.();
        orchestrator.hearLeader(epoch);
        agent.hearLeader(epoch, { halts, released });
      }),
      bus.subscribe(agentEvents.emergencyStop, {}, (stop) => {
        agent.emergencyStop(stop);
        this.#reportStop(agent, stop);
      }),
      bus.serve(serviceRequests.health, { service: 'agent' }, () => this.#health()),
    ]);
    this.#forget = bus.onStatus((status) => {
      if (status === 'connected') agent.reconnected();
    });
    this.#beat();
  }

  deviceChanged(device: DeviceStatus): void {
    const inc = this.#inc;
    if (inc === undefined) return;
    const { bus, computer } = this.parts;
    this.#tell('a device changed', () =>
      bus.publish(agentEvents.deviceChanged, { computer }, { inc, device }),
    );
  }

  async incarnated(inc: number): Promise<void> {
    const old = this.#served;
    this.#served = await this.#serve(inc);
    this.#inc = inc;
    await Promise.all(old.map((subscription) => subscription.unsubscribe()));
    this.#publishHeartbeat();
  }

  /** Announces that the agent leaves. Its devices and tasks still run, and it still answers requests. */
  announceLeaving(): void {
    const inc = this.#inc;
    if (inc === undefined || this.#agent === undefined) return;
    const { session } = this.#agent;
    const { bus, computer } = this.parts;
    this.#tell('the agent leaves', () => bus.publish(agentEvents.leaving, { computer }, { inc, session }));
  }

  /** Stops heartbeats and listening. */
  async stop(): Promise<void> {
    this.#stopBeating();
    this.#forget();
    const all = [...this.#served.splice(0), ...this.#listening.splice(0)];
    await Promise.all(all.map((subscription) => subscription.unsubscribe()));
  }

  /** Leaves in order: stops the heartbeats, which would bring the agent back, announces the end, and awaits `end`. */
  async leave(end: () => Promise<unknown>): Promise<void> {
    this.#stopBeating();
    this.announceLeaving();
    await end();
    await this.stop();
  }

  /** Stops the heartbeats: after the announcement of its end one would bring the agent back. */
  stopBeating(): void {
    this.#stopBeating();
  }

  #serve(inc: number): Promise<Subscription[]> {
    const agent = this.#agent;
    if (agent === undefined) throw new Error('the service has not been started');
    const { bus, computer } = this.parts;
    const me = { computer, inc: String(inc) };
    return Promise.all([
      bus.serve(requests.startTask, me, async (body, { envelope }) => ({
        status: await agent.startTask(body, marksOf(envelope)),
      })),
      bus.serve(requests.cancelTask, me, async ({ attempt_id, reason }, { envelope }) => ({
        status: await agent.cancelTask(attempt_id, reason, marksOf(envelope)),
      })),
      bus.serve(requests.taskStatus, me, async ({ attempt_id }, { envelope }) => ({
        status: await agent.taskStatus(attempt_id, marksOf(envelope)),
      })),
      bus.serve(requests.confirmPresence, me, () => ({})),
      bus.serve(requests.assignDevices, me, async ({ devices, next }, { envelope }) => {
        agent.assignDevices(devices, marksOf(envelope));
        if (next !== undefined) await agent.provide(next);
        return {};
      }),
      bus.serve(requests.callDevice, me, ({ by, query, ...call }, { envelope, tokens }) =>
        answered(
          agent,
          tokens,
          { ...callOf(call), attemptId: undefined, by, query },
          envelope,
          call.as_of_ms,
        ),
      ),
      bus.serve(
        peerRequests.callDevice,
        me,
        async ({ attempt_id: attemptId, ...call }, { envelope, tokens }) => {
          const { lab, device, caller } = tokens;
          const fence = envelope.fence?.[`${lab}.${device}`];
          await this.#demandGrant(call.grant, { lab, device, caller, attempt_id: attemptId, fence });
          const posted = { ...callOf(call), attemptId, caller, by: undefined, query: undefined };
          return answered(agent, tokens, posted, envelope, call.as_of_ms);
        },
      ),
      bus.serve(requests.readClock, me, () => ({ now_ms: agent.readClock() })),
      bus.serve(peerRequests.readClock, me, () => ({ now_ms: agent.readClock() })),
      bus.serve(peerRequests.stopCalls, me, ({ attempt_id, reason }, { tokens }) => ({
        moving: agent.barCalls(attempt_id, tokens.caller, reason),
      })),
      bus.serve(requests.resetDevice, me, async ({ doubt_id, by }, { envelope, tokens }) => {
        const device = { lab: tokens.lab, name: tokens.device };
        await agent.resetDevice(device, doubt_id, by, marksOf(envelope));
        return {};
      }),
      bus.serve(requests.restartDevice, me, ({ by, reason }, { envelope, tokens }) => {
        const device = { lab: tokens.lab, name: tokens.device };
        const why = `${by} restarts it: ${reason}`;
        return { device: agent.restartDevice(device, why, marksOf(envelope)) };
      }),
      bus.serve(requests.updateAgent, me, async ({ version, by }, { envelope }) => ({
        state: await agent.update(version, by, marksOf(envelope)),
      })),
      bus.serve(requests.reportDevice, me, async (_, { tokens }) => ({
        report: await agent.reportDevice({ lab: tokens.lab, name: tokens.device }),
      })),
    ]);
  }

  /** @throws ServiceError `forbidden` when the leading orchestrator has not granted the device to the attempt */
  async #demandGrant(
    signed: string | undefined,
    asked: Record<keyof DeviceGrant, string | number | undefined>,
  ): Promise<void> {
    const { authority } = this.parts;
    if (authority === undefined) return;
    // The service may have replaced its key.
    if (signed !== undefined && authority.check.read(signed) === undefined) await authority.doubt?.();
    const read = signed === undefined ? undefined : deviceGrant.safeParse(authority.check.read(signed)).data;
    const names = Object.keys(asked) as (keyof DeviceGrant)[];
    if (read !== undefined && names.every((name) => read[name] === asked[name])) return;
    throw new ServiceError(
      'forbidden',
      `no grant gives ${asked.lab}.${asked.device} to attempt ${asked.attempt_id} of computer ${asked.caller}`,
    );
  }

  #beat(): void {
    this.#publishHeartbeat();
    this.#stopBeating = this.parts.timers.after(agentTimings.heartbeatMs, () => this.#beat());
  }

  #publishHeartbeat(): void {
    const agent = this.#agent;
    const inc = this.#inc;
    if (agent === undefined || inc === undefined) return;
    const { bus, computer } = this.parts;
    this.#tell('the heartbeat', () =>
      bus.publish(
        agentEvents.heartbeat,
        { computer },
        {
          inc,
          seq: agent.nextHeartbeat(),
          devices: agent.devices(),
          attempts: agent.attempts(),
          halts: agent.emergencyStops(),
          wall_ms: this.parts.wall.now(),
          ledger_trouble: agent.trouble ?? null,
        },
      ),
    );
  }

  #reportStop(agent: Agent, stop: EmergencyStop): void {
    const { bus, computer } = this.parts;
    const devices = agent
      .devices()
      .filter((device) => emergencyStopCovers(stop, device))
      .map((device) => ({ ...device, functions: [] }));
    this.#tell('the answer to an emergency stop', () =>
      bus.publish(stopReport, { computer }, { id: stop.id, devices }),
    );
  }

  /** Publishes an event. A failure is only logged, because events may be lost anyway. */
  #tell(what: string, publish: () => void): void {
    try {
      publish();
    } catch (error) {
      this.parts.log.error('an event could not be published', { what, error });
    }
  }

  #health(): ServiceHealth {
    const { clock, computer, version } = this.parts;
    const detail = this.#inc === undefined ? 'not registered with an orchestrator yet' : this.#agent?.trouble;
    return {
      service: 'agent',
      instance: computer,
      version,
      status: detail === undefined ? 'ok' : 'degraded',
      ...(detail === undefined ? {} : { detail }),
      uptime_s: Math.max(0, clock.now() - this.#startedAt) / 1_000,
    };
  }
}

type Call = Parameters<Agent['callDevice']>[1];

function callOf(body: { call_id: string; function: string; arguments: JsonObject }) {
  return { callId: body.call_id, function: body.function, arguments: body.arguments };
}

async function answered(
  agent: Agent,
  { lab, device }: { lab: string; device: string },
  call: Call,
  envelope: Envelope,
  asOf: number,
): Promise<ReplyOf<typeof requests.callDevice>> {
  const result = await agent.callDevice({ lab, name: device }, call, {
    ...marksOf(envelope),
    epoch: undefined,
    asOf,
  });
  const now = agent.readClock();
  return result === undefined ? { now_ms: now } : { result, now_ms: now };
}

function marksOf(envelope: Envelope): MessageMarks {
  const { epoch, fence, fresh, ttl_ms: ttl } = envelope;
  return {
    epoch,
    fence,
    fresh,
    ttlMs: ttl === undefined ? undefined : Math.max(ttl - agentTimings.replyWayMs, ttl / 2),
  };
}
