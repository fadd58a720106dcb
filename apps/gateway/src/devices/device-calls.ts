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
import { ReachedNobody } from '@lab/messaging';
import { Injectable } from '@nestjs/common';
import { Requests } from '../ports/index.js';
import { DeviceLocator, type DeviceAddress } from './device-locator.js';

/** Throws ServiceError when the call must not be made. */
export type Permit = (holder: string | undefined, declared: DeviceFunction | undefined) => Promise<void>;

interface Sent {
  lab: string;
  device: string;
  name: string;
  parameters: JsonObject;
  /** Person who calls. */
  by: string;
  /** A fresh reading of the clock of the agent, in milliseconds. */
  asOf: number;
}

/** Whether no agent of that incarnation answers, and the call had no effect. */
function isGone(error: unknown): error is ServiceError {
  if (!isServiceError(error) || error.effect !== 'none') return false;
  return error instanceof ReachedNobody || error.code === 'stale_message';
}

/** Whether the agent does not have the device, and the call had no effect: the device may be at another agent by now. */
function isElsewhere(error: unknown): boolean {
  return (
    isGone(error) || (isServiceError(error) && error.effect === 'none' && error.code === 'unknown_device')
  );
}

/** Calls functions of devices for people, directly at the agent, without allocation and scheduling. */
@Injectable()
export class DeviceCalls {
  constructor(
    private readonly requests: Requests,
    private readonly locator: DeviceLocator,
  ) {}

  /**
   * Calls the function once, and waits a little longer than its declared timeout. It sends the call a second time only when
   * the first call certainly had no effect, and after it has located the device again. It passes on the refusal of an agent,
   * for example when the agent cannot write its ledger.
   *
   * @param by person who calls, for the record
   * @param permit called before every call that is no query, with the task run that holds the device now and the function
   *   as its device declares it; its errors are thrown. Without it no check is made, and a cached address suffices
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
    let located = this.locator.locate(lab, device);
    let address = await located;
    const acts = permit !== undefined && declaredIn(address, name)?.kind !== 'query';
    let reading: Promise<number> | undefined;
    if (acts || !has(address, name)) {
      // The holder is known for this moment only. The cached address may also be from the time when the device was being
      // initialised, without the functions on which the timeout depends. Both questions go out at once, to save time.
      reading = this.readClock(address);
      reading.catch(() => undefined);
      this.locator.forget(lab, device, located);
      located = this.locator.locate(lab, device);
      const { inc, computer } = address;
      address = await located;
      if (address.inc !== inc || address.computer !== computer) reading = undefined;
    }
    if (acts) await permit(address.held_by, declaredIn(address, name));
    try {
      const asOf = await (reading ?? this.readClock(address));
      return await this.send(address, { lab, device, name, parameters, by, asOf });
    } catch (error) {
      if (!isElsewhere(error)) throw error;
      this.locator.forget(lab, device, located);
    }
    const again = await this.locator.locate(lab, device);
    if (acts) await permit(again.held_by, declaredIn(again, name));
    try {
      const asOf = await this.readClock(again);
      return await this.send(again, { lab, device, name, parameters, by, asOf });
    } catch (error) {
      if (!isGone(error)) throw error;
      throw unanswered(again.computer, error);
    }
  }

  /** @throws ServiceError with effect none: if this look-up fails, the call had no effect */
  private async readClock({ computer, inc }: DeviceAddress): Promise<number> {
    try {
      const address = { computer, inc: String(inc) };
      return (await this.requests.call(agentRequests.readClock, address, {}, { inc })).now_ms;
    } catch (error) {
      throw isServiceError(error) && error.effect !== 'none' ? unanswered(computer, error) : error;
    }
  }

  private async send(
    { computer, inc, functions = [] }: DeviceAddress,
    { lab, device, name, parameters, by, asOf }: Sent,
  ): Promise<JsonValue> {
    const reply = await this.requests.call(
      agentRequests.callDevice,
      { computer, inc: String(inc), lab, device },
      { call_id: randomUUID(), function: name, arguments: parameters, by, as_of_ms: asOf },
      { inc, timeoutMs: deviceTimeoutMs(functions.find((each) => each.name === name)) + deviceAnswerMs },
    );
    return reply.result ?? null;
  }
}

function unanswered(computer: string, cause: ServiceError): ServiceError {
  return new ServiceError('agent_unreachable', `The agent of computer "${computer}" does not answer.`, {
    cause,
  });
}

function has(address: DeviceAddress, name: string): boolean {
  return declaredIn(address, name) !== undefined;
}

function declaredIn({ functions = [] }: DeviceAddress, name: string): DeviceFunction | undefined {
  return functions.find((each) => each.name === name);
}
