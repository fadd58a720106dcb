import { randomUUID } from 'node:crypto';
import {
  agentRequests,
  deviceAnswerMs,
  deviceTimeoutMs,
  isServiceError,
  ServiceError,
  type DeviceFunction,
  type JsonObject,
  type JsonValue,
} from '@lab/contracts';
import { AgentClocks, ReachedNobody, type AgentSession } from '@lab/messaging';
import { Injectable } from '@nestjs/common';
import { Requests } from '../ports/index.js';
import { DeviceLocator, type DeviceAddress } from './device-locator.js';

/** The check of a call that may change something. */
export interface Permit {
  /** The caller acts also on a device that a task has. */
  readonly force: boolean;
  /**
   * @param holder the task run that has the device; undefined: none
   * @throws ServiceError when the call must not be made
   */
  admit(holder: string | undefined, declared: DeviceFunction | undefined): Promise<void>;
}

interface Asked {
  lab: string;
  device: string;
  name: string;
  parameters: JsonObject;
  /** Person who calls. */
  by: string;
  /** Undefined: there is nothing to check. */
  permit: Permit | undefined;
}

/** What a call rests on. */
interface Ground {
  located: Promise<DeviceAddress>;
  address: DeviceAddress;
  declared: DeviceFunction | undefined;
}

/** Whether no agent of that incarnation answers, and the call had no effect. */
function isGone(error: unknown): error is ServiceError {
  if (!isServiceError(error) || error.effect !== 'none') return false;
  return error instanceof ReachedNobody || error.code === 'stale_message';
}

/** Whether what the call rested on is out of date, and the call had no effect. */
function isOutdated(error: unknown): boolean {
  return isGone(error) || (isServiceError(error) && error.effect === 'none' && outdated.has(error.code));
}

const outdated: ReadonlySet<string> = new Set(['unknown_device', 'device_in_use', 'late_message']);

/** Calls functions of devices for people, directly at the agent, without allocation and scheduling. */
@Injectable()
export class DeviceCalls {
  private readonly clocks: AgentClocks;

  constructor(
    private readonly requests: Requests,
    private readonly locator: DeviceLocator,
  ) {
    const ask = async ({ computer, inc }: AgentSession): Promise<number> =>
      (await requests.call(agentRequests.readClock, { computer, inc: String(inc) }, {}, { inc })).now_ms;
    this.clocks = new AgentClocks(ask, { now: () => performance.now() });
  }

  /**
   * Calls the function once, and waits a little longer than its declared timeout. It sends the call a second time only when
   * the first call certainly had no effect, and after it has located the device again. It passes on the refusal of an agent,
   * for example when the agent cannot write its ledger.
   *
   * The agent verifies what the gateway knows from memory: that the function is a query, or that no task got the device
   * since the fence at which it was seen free.
   *
   * @param by person who calls, for the record
   * @param permit asked before every call that is no query; its errors are thrown. Without it no check is made
   * @returns the value of the function; null when it returned nothing
   * @throws ServiceError with the `effect` of the failed call; `agent_unreachable` when no agent takes it
   */
  async call(
    lab: string,
    device: string,
    name: string,
    parameters: JsonObject,
    by: string,
    permit: Permit | undefined,
  ): Promise<JsonValue> {
    const asked = { lab, device, name, parameters, by, permit };
    const ground = await this.known(asked);
    try {
      return await this.send(asked, ground);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      this.locator.forget(lab, device, ground.located);
      this.clocks.refused(ground.address);
    }
    const present = await this.present(asked);
    try {
      return await this.send(asked, present);
    } catch (error) {
      if (!isGone(error)) throw error;
      throw unanswered(present.address.computer, error);
    }
  }

  /** What memory knows, if that suffices for the call. */
  private async known(asked: Asked): Promise<Ground> {
    const { lab, device, permit } = asked;
    const ground = await this.ground(asked, this.locator.locate(lab, device));
    if (ground.declared !== undefined && (permit === undefined || ground.declared.kind === 'query'))
      return ground;
    // The functions on which the timeout depends are not known while the device is being initialised. A forced call names
    // the present holder, and only a present one is a reason to refuse a call.
    const located = this.locator.present(lab, device);
    if (located !== undefined && permit?.force === false) {
      const recent = await this.ground(asked, located);
      if (recent.declared !== undefined && recent.address.held_by === undefined) return recent;
    }
    if (located !== undefined) this.locator.forget(lab, device, located);
    this.locator.forget(lab, device, ground.located);
    // The clock is read beside the look-up, to save time.
    this.clocks.read(ground.address).catch(() => undefined);
    return this.present(asked);
  }

  private present(asked: Asked): Promise<Ground> {
    return this.ground(asked, this.locator.locate(asked.lab, asked.device));
  }

  private async ground({ name }: Asked, located: Promise<DeviceAddress>): Promise<Ground> {
    const address = await located;
    return { located, address, declared: address.functions?.find((each) => each.name === name) };
  }

  /** @throws ServiceError; with effect none if the clock of the agent could not be read */
  private async send(
    { lab, device, name, parameters, by, permit }: Asked,
    { address, declared }: Ground,
  ): Promise<JsonValue> {
    const { computer, inc, held_by: holder, fence } = address;
    const isQuery = declared?.kind === 'query';
    if (permit !== undefined && !isQuery) await permit.admit(holder, declared);
    const asOf = this.clocks.known(address) ?? (await this.readClock(address));
    const reply = await this.requests.call(
      agentRequests.callDevice,
      { computer, inc: String(inc), lab, device },
      {
        call_id: randomUUID(),
        function: name,
        arguments: parameters,
        by,
        as_of_ms: asOf,
        ...(permit !== undefined && isQuery ? { query: true as const } : {}),
      },
      {
        inc,
        timeoutMs: deviceTimeoutMs(declared) + deviceAnswerMs,
        ...(permit !== undefined && !isQuery && holder === undefined && !permit.force
          ? { fence: { [`${lab}.${device}`]: fence } }
          : {}),
      },
    );
    this.clocks.heard(address, reply.now_ms);
    return reply.result ?? null;
  }

  /** @throws ServiceError with effect none: if this look-up fails, the call had no effect */
  private async readClock(address: DeviceAddress): Promise<number> {
    try {
      return await this.clocks.read(address);
    } catch (error) {
      throw isServiceError(error) && error.effect !== 'none' ? unanswered(address.computer, error) : error;
    }
  }
}

function unanswered(computer: string, cause: ServiceError): ServiceError {
  return new ServiceError('agent_unreachable', `The agent of computer "${computer}" does not answer.`, {
    cause,
  });
}
