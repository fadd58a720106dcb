import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AddedFunction, BaseDevice, JsonObject } from '@lab/sdk';
import { Mask, MessageReplay, readRecording, Traffic } from '../recordings/index.js';
import type { Link } from './link.js';
import type { LinkSettings } from './link-settings.js';
import { recordedLink, replayedLink } from './recorded-link.js';
import { RestClient } from './rest-client.js';

/** The link of a device, and the recordings of its exchanges. */
export class LinkRecords {
  readonly #traffic: Traffic;
  readonly #mask = new Mask();
  #settings: LinkSettings | undefined;

  constructor(private readonly device: BaseDevice<object>) {
    this.#traffic = Traffic.of(device);
  }

  /**
   * The way to the other system, or what the settings put in its place: a recording or a twin.
   *
   * @param twin makes the twin
   * @param headers sent with each request
   * @throws Error when a file of the settings cannot be read
   */
  link(settings: LinkSettings, twin: () => Link, headers: Readonly<Record<string, string>> = {}): Link {
    this.#settings = settings;
    const callId = (): string | undefined => this.device.callId;
    const { replay, simulate, address, record } = settings;
    let link: Link;
    if (replay !== undefined) {
      const file = resolve(this.device.stateFolder ?? '.', replay.file);
      const recording = readRecording(readFileSync(file, 'utf8'), file);
      link = replayedLink(new MessageReplay(recording, replay.order), this.#mask, callId);
    } else link = simulate ? twin() : new RestClient(settings, headers, this.#mask);
    this.#traffic.label = address;
    if (this.#traffic.isOver) this.#traffic.begin(record);
    return recordedLink(link, this.#traffic, this.#mask, callId);
  }

  /** The functions of a device, whose secret arguments no recording has, and those for recordings. */
  functions(own: Readonly<Record<string, AddedFunction>>): Record<string, AddedFunction> {
    const recordings = this.#traffic.functions();
    for (const name of Object.keys(recordings))
      if (Object.hasOwn(own, name))
        this.device.log.warn(
          `the function ${name} of the other system cannot be called: every device has it, for recordings`,
        );
    const hiding = Object.entries(own).map(([name, entry]): [string, AddedFunction] => [
      name,
      {
        ...entry,
        call: (given) => {
          this.#hide(entry, given);
          return entry.call(given);
        },
      },
    ]);
    return { ...Object.fromEntries(hiding), ...recordings };
  }

  /** Why there is nothing that moves; undefined: there may be. */
  get nothingMoves(): string | undefined {
    if (this.#settings?.replay !== undefined) return 'a recording has nothing that moves';
    return this.#settings?.simulate === true ? 'a twin has nothing that moves' : undefined;
  }

  /** What people see in the report of the device. */
  report(): JsonObject {
    const { simulate = false, replay } = this.#settings ?? {};
    const { file } = this.#traffic;
    return {
      simulated: simulate,
      ...(replay === undefined ? {} : { replayed: replay.file }),
      ...(file === undefined ? {} : { recording: file }),
    };
  }

  /** Ends the recording. */
  close(): void {
    this.#traffic.stop();
  }

  #hide({ parameters = {} }: AddedFunction, given: JsonObject): void {
    for (const [name, { secret }] of Object.entries(parameters))
      if (secret === true && given[name] !== undefined) this.#mask.add(given[name]);
  }
}
