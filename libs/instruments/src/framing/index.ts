export { lengthPrefixed, slip, slipEncoded, type LengthOptions } from './binary.js';
export { framerOf, FramingError, longestFrame, type Framer, type Found, type Look } from './framer.js';
export { delimited, scpiMessages } from './text.js';
