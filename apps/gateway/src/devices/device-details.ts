import {
  agentRequests,
  defaultDeviceTimeoutS,
  orchestratorRequests,
  ServiceError,
  type DeviceDetail,
  type JsonObject,
} from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import { Orchestrator } from '../orchestrator/index.js';
import { Requests } from '../ports/index.js';

/** Collects everything that is known about one device. */
@Injectable()
export class DeviceDetails {
  constructor(
    private readonly requests: Requests,
    private readonly orchestrator: Orchestrator,
  ) {}

  /**
   * @param options.report true: also asks the device for its `_report`
   * @throws ServiceError `unknown_lab`, `unknown_device`; with a report also `agent_unreachable`, `device_unavailable`,
   *   `device_error` and errors of the bus, all without effect
   */
  async find(lab: string, name: string, options: { report: boolean }): Promise<DeviceDetail> {
    const { devices } = await this.orchestrator.ask(orchestratorRequests.listDevices, {});
    const device = devices.find((each) => each.lab_name === lab && each.name === name);
    if (device === undefined) {
      if (devices.some((each) => each.lab_name === lab)) {
        throw new ServiceError('unknown_device', `The laboratory "${lab}" has no device "${name}".`);
      }
      // Only the look-up of a device tells a laboratory without devices from one that is not loaded.
      await this.orchestrator.ask(orchestratorRequests.locateDevice, { lab, device: name });
      throw new ServiceError(
        'unknown_device',
        `The device "${name}" of "${lab}" has just been loaded. Send the request again.`,
      );
    }
    return {
      ...device,
      functions: device.functions.map(({ name, kind, timeout_s, description, parameters }) => ({
        name,
        kind,
        timeout_s: timeout_s ?? defaultDeviceTimeoutS,
        description: description ?? null,
        parameters: parameters ?? null,
      })),
      ...(options.report ? { report: await this.report(lab, name) } : {}),
    };
  }

  private async report(lab: string, device: string): Promise<JsonObject> {
    const { computer, inc } = await this.orchestrator.ask(orchestratorRequests.locateDevice, { lab, device });
    const tokens = { computer, inc: String(inc), lab, device };
    const { report } = await this.requests.call(agentRequests.reportDevice, tokens, {}, { inc });
    return report;
  }
}
