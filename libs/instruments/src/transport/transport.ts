/**
 * The way to an instrument: a serial port, a TCP connection, a recording, or a twin. A transport carries bytes and knows nothing of
 * their meaning.
 */
export interface Transport {
  /** The address for people, such as `tcp://10.0.0.4:5025`. */
  readonly label: string;
  /**
   * Opens a line.
   *
   * @param signal gives up
   * @throws Error that says why the line cannot be opened
   */
  open(events: LineEvents, signal: AbortSignal): Promise<Line>;
}

/** An open way to an instrument. */
export interface Line {
  /**
   * Hands bytes to the operating system, after all bytes handed over before.
   *
   * @param call id of the device call that they belong to, for a recording
   * @param taken called once, when the operating system has taken them, or has refused them
   */
  write(bytes: Buffer, call: string | undefined, taken?: (error?: Error) => void): void;
  /** Closes the line, and resolves when it is free to be opened again. Bytes not yet taken may be lost. */
  close(): Promise<void>;
}

export interface LineEvents {
  /** Bytes came. They may be any part of a message, or several messages. */
  bytes(bytes: Buffer): void;
  /** The line is over. Called once at most, and never after `close()`. @param why for people, such as `closed by the instrument` */
  ended(why: string): void;
}

/** Time as the kit takes it. In tests it is virtual. */
export interface Time {
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs `callback` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** The time of the computer. A timer of it does not keep the process alive. */
export const realTime: Time = {
  now: () => performance.now(),
  after(ms, callback) {
    if (ms <= 0) {
      // A timer would take a millisecond.
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};
