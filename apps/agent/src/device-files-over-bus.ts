import type { FileTicket } from '@lab/actors';
import {
  deviceFileRequests,
  type DeviceFile,
  type FoundDeviceFile,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import type { Clock } from '@lab/ports';
import type { InstrumentFilesPorts } from './instruments/index.js';
import type { HttpWay } from './joining/index.js';
import { sendFile } from './send-file.js';

type FileServiceOfInstruments = InstrumentFilesPorts['service'];

/** Stores files of instruments through a gateway, and finds those of an attempt. */
export class DeviceFilesOverBus implements FileServiceOfInstruments {
  constructor(
    private readonly bus: Bus,
    private readonly computer: string,
    private readonly wall: Clock,
    private readonly way: HttpWay,
  ) {}

  async uploadTicket({
    id,
    size,
    sha256,
  }: Pick<DeviceFile, 'id' | 'size' | 'sha256'>): Promise<FileTicket | null> {
    const { computer } = this;
    return (await this.bus.request(deviceFileRequests.upload, { computer }, { id, size, sha256 })).ticket;
  }

  send(path: string, file: Pick<DeviceFile, 'name' | 'size'>, ticket: FileTicket): Promise<void> {
    return sendFile(path, file, ticket, this.way);
  }

  async store(file: DeviceFile): Promise<void> {
    const body = { wall_ms: this.wall.now(), file };
    await this.bus.request(deviceFileRequests.store, { computer: this.computer }, body);
  }

  async ofAttempt(attemptId: string, device: { lab: string; name: string }): Promise<FoundDeviceFile[]> {
    const { computer } = this;
    const asked = { attempt_id: attemptId, lab: device.lab, device: device.name };
    const found: FoundDeviceFile[] = [];
    let body: RequestOf<typeof deviceFileRequests.find> | undefined = asked;
    while (body !== undefined) {
      const { files, next }: ReplyOf<typeof deviceFileRequests.find> = await this.bus.request(
        deviceFileRequests.find,
        { computer },
        body,
      );
      found.push(...files);
      body = next === undefined ? undefined : { ...asked, after: next };
    }
    return found;
  }
}
