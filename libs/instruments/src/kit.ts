export {
  filled,
  Identity,
  PlainDevice,
  plainSettings,
  readAnswer,
  TextDevice,
  textSettings,
  TextTwin,
  WrongAnswer,
  type AnswerSpec,
  type PlainSettings,
  type TextSettings,
} from './commands/index.js';
export {
  LinkedDevice,
  overTcp,
  type CommonSettings,
  type Protocol,
  type TransportKind,
} from './device/index.js';
export {
  delimited,
  framerOf,
  FramingError,
  lengthPrefixed,
  scpiMessages,
  slip,
  slipEncoded,
  type Framer,
} from './framing/index.js';
export { ExchangeError } from './errors/index.js';
export { Link, NoAnswer, type Exchange, type LinkOptions, type Request } from './link/index.js';
export {
  hasMessages,
  MessageReplay,
  NotRecorded,
  readRecording,
  Recorder,
  type Recording,
  type RecordingEntry,
  type Sink,
  type Turn,
} from './recordings/index.js';
export {
  realTime,
  recorded,
  Replay,
  serve,
  tcp,
  twinTransport,
  type Line,
  type LineEvents,
  type Served,
  type Time,
  type Transport,
  type Twin,
} from './transport/index.js';
