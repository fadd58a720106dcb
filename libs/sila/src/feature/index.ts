export {
  definedType,
  metadataKey,
  packageOf,
  plainType,
  type BasicType,
  type Command,
  type DataType,
  type Described,
  type Element,
  type Feature,
  type Property,
} from './model.js';
export { readDataType, readFeature } from './read-feature.js';
export { silaService, silaServiceXml } from './sila-service.js';
