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
   * @param permit called before every call that is no query, with the task run that holds the device now; its errors are
   *   thrown. Without it no check is made, and a cached address suffices
   * @returns the value of the function; null when it returned nothing
   * @throws ServiceError with the `effect` of the failed call; `agent_unreachable` when no agent takes it
   */
  async call(
    lab: string,
    device: string,
    name: string,
    parameters: JsonObject,
    permit?: (holder: string | undefined) => Promise<void>,
  ): Promise<JsonValue> {
    let located = this.locator.locate(lab, device);
    let address = await located;
    const acts = permit !== undefined && kindOf(address, name) !== 'query';
    if (acts || !has(address, name)) {
      // The holder is known for this moment only. The cached address may also be from the time when the device was being
      // initialised, without the functions on which the timeout depends.
      this.locator.forget(lab, device, located);
      located = this.locator.locate(lab, device);
      address = await located;
    }
    if (acts) await permit(address.held_by);
    try {
      return await this.send(address, lab, device, name, parameters);
    } catch (error) {
      if (!isElsewhere(error)) throw error;
      this.locator.forget(lab, device, located);
    }
    const again = await this.locator.locate(lab, device);
    if (acts) await permit(again.held_by);
    try {
      return await this.send(again, lab, device, name, parameters);
    } catch (error) {
      if (!isGone(error)) throw error;
      throw unanswered(again.computer, error);
    }
  }

  private async send(
    { computer, inc, functions = [] }: DeviceAddress,
    lab: string,
    device: string,
    name: string,
    parameters: JsonObject,
  ): Promise<JsonValue> {
    const address = { computer, inc: String(inc) };
    // If this look-up fails, the call had no effect, whatever the effect of the look-up.
    const { now_ms: asOf } = await this.requests
      .call(agentRequests.readClock, address, {}, { inc })
      .catch((error: unknown) => {
        throw isServiceError(error) && error.effect !== 'none' ? unanswered(computer, error) : error;
      });
    const reply = await this.requests.call(
      agentRequests.callDevice,
      { ...address, lab, device },
      { call_id: randomUUID(), function: name, arguments: parameters, as_of_ms: asOf },
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
  return kindOf(address, name) !== undefined;
}

function kindOf({ functions = [] }: DeviceAddress, name: string): DeviceFunction['kind'] | undefined {
  return functions.find((each) => each.name === name)?.kind;
}
