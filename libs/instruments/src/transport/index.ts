export { recorded } from './recorded.js';
export { Replay, shown } from './replay.js';
export { serve, type Served } from './serve.js';
export { tcp, tcpSettings, type TcpSettings } from './tcp.js';
export { realTime, type Line, type LineEvents, type Time, type Transport } from './transport.js';
export { twinTransport, type Twin, type TwinLine } from './twin.js';
