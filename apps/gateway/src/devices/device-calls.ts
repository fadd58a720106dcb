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

/** There is no agent of that incarnation, as far as can be known, and nothing has happened. */
function isGone(error: unknown): error is ServiceError {
  if (!isServiceError(error) || error.effect !== 'none') return false;
  return error instanceof ReachedNobody || error.code === 'stale_message';
}

/** "Not here", said before anything happened: the device may be elsewhere by now. */
function isElsewhere(error: unknown): boolean {
  return (
    isGone(error) || (isServiceError(error) && error.effect === 'none' && error.code === 'unknown_device')
  );
}

/** Calls functions of devices for people: straight to the agent, past allocation and scheduling. */
@Injectable()
export class DeviceCalls {
  constructor(
    private readonly requests: Requests,
    private readonly locator: DeviceLocator,
  ) {}

  /**
   * Calls the function once, and waits a little longer than it may take by its declaration. It is sent a second time only
   * when the first agent is known to have done nothing and the device is looked up anew in between. What an agent that is
   * there refuses, for example because its ledger cannot be written, is passed on.
   *
   * @param permit asked before anything but a query is sent, with the task run that has the device at this moment; what it
   *   throws is thrown. Without it nobody is asked, and an address that was looked up before is good enough
   * @returns what the function returned; null when it returned nothing
   * @throws ServiceError with the `effect` of the failed call; `agent_unreachable` when nobody is there to take it
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
      // Who has it is known for this moment only. And it may have been looked up while the device was being initialised:
      // how long to wait depends on the function.
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
    // Nothing has happened when this fails, whatever is known of the question itself.
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
