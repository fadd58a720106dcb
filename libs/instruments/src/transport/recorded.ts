import type { Sink } from '../recordings/index.js';
import type { Line, LineEvents, Transport } from './transport.js';

/** A transport whose traffic is recorded. */
export function recorded(transport: Transport, sink: Sink): Transport {
  return {
    label: transport.label,
    async open(events: LineEvents, signal: AbortSignal): Promise<Line> {
      let call: string | undefined;
      const traffic = (dir: 'out' | 'in', bytes: Buffer): void => {
        if (sink.isOver) return;
        sink.add({ dir, hex: bytes.toString('hex'), ...(call === undefined ? {} : { call }) });
      };
      const line = await transport.open(
        {
          bytes(bytes) {
            traffic('in', bytes);
            events.bytes(bytes);
          },
          ended(why) {
            sink.add({ event: 'end', why });
            events.ended(why);
          },
        },
        signal,
      );
      sink.add({ event: 'open' });
      return {
        write(bytes, of, taken) {
          call = of;
          traffic('out', bytes);
          line.write(bytes, of, taken);
        },
        close() {
          sink.add({ event: 'close' });
          return line.close();
        },
      };
    },
  };
}
