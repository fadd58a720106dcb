export { frameworkCodec, frameworkPackage, type Codec, type Wire } from './framework.js';
export { FeatureMessages } from './messages.js';
export { fromMessage, noCarrier, toMessage, type BinaryCarrier } from './values.js';
