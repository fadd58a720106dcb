export { regularExpression, readAnswer, WrongAnswer, type AnswerSpec } from './answer.js';
export { Identity, type IdentitySpec } from './identity.js';
export { PlainDevice, plainSettings, type PlainSettings } from './plain-device.js';
export { filled, patternOf, placesOf } from './template.js';
export { simulationOf, TextDevice, textSettings, type TextEntry, type TextSettings } from './text-device.js';
export { TextTwin, type TextTwinOptions } from './text-twin.js';
