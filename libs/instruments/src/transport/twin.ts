import type { Line, Time, Transport } from './transport.js';

/**
 * A model of an instrument, down to its bytes. Its state outlasts a line, as that of an instrument does. It takes time from a
 * {@link Time}, so that a test runs on a virtual clock.
 */
export interface Twin {
  /**
   * A line to the twin opens.
   *
   * @param send gives bytes to the other end; without effect after the line has closed
   */
  connect(send: (bytes: Buffer) => void): TwinLine;
}

export interface TwinLine {
  /** Bytes came from the other end. They may be any part of a message, or several messages. */
  receive(bytes: Buffer): void;
  closed?(): void;
}

/** The way to a twin. It loses nothing and takes no time of its own. */
export function twinTransport(label: string, twin: Twin, time: Time): Transport {
  return {
    label,
    open(events): Promise<Line> {
      let isOpen = true;
      const later = (work: () => void): void =>
        void time.after(0, () => {
          if (isOpen) work();
        });
      const line = twin.connect((bytes) => later(() => events.bytes(bytes)));
      return Promise.resolve({
        write(bytes, _call, taken) {
          // Bytes that were handed over arrive, even if the line is closed at once.
          time.after(0, () => {
            line.receive(bytes);
            if (isOpen) taken?.();
          });
        },
        close() {
          isOpen = false;
          line.closed?.();
          return Promise.resolve();
        },
      });
    },
  };
}
