/**
 * What the library uses of the npm package `serialport`. Packages of labs install that package, which has native parts, and the product
 * is built without it.
 */
declare module 'serialport' {
  interface Options {
    path: string;
    baudRate: number;
    dataBits: 5 | 6 | 7 | 8;
    parity: string;
    stopBits: 1 | 1.5 | 2;
    rtscts: boolean;
    xon: boolean;
    xoff: boolean;
    autoOpen: boolean;
    lock: boolean;
  }

  type Done = (error: Error | null | undefined) => void;

  export class SerialPort {
    constructor(options: Options);
    readonly isOpen: boolean;
    open(done: (error: Error | null) => void): void;
    close(done: Done): void;
    flush(done: Done): void;
    drain(done: Done): void;
    write(bytes: Uint8Array, done: Done): boolean;
    on(event: 'data', listener: (bytes: Buffer) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: 'close', listener: (error: Error | null) => void): this;
  }
}
