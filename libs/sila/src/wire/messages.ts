import protobuf from 'protobufjs';
import { packageOf, type DataType, type Element, type Feature } from '../feature/index.js';
import { codecOf, frameworkPackage, frameworkRoot, type Codec } from './framework.js';

/**
 * Translates the data types of a feature definition to messages of protocol buffers while the program runs, by the rules of part B
 * of the standard: the fields of a message are numbered in the order of the definition.
 */
export class FeatureMessages {
  readonly #root = frameworkRoot();
  readonly #namespace: protobuf.Namespace;
  readonly #codecs = new Map<string, Codec>();

  /** @throws Error when the definition is contradictory */
  constructor(private readonly feature: Feature) {
    this.#namespace = this.#root.define(packageOf(feature));
    for (const [identifier, type] of feature.types) {
      this.#add(`DataType_${identifier}`, [{ identifier, displayName: '', description: '', type }]);
    }
  }

  /**
   * The codec of a message.
   *
   * @param name of the message; the same name always has the same fields
   */
  codec(name: string, fields: readonly Element[]): Codec {
    let codec = this.#codecs.get(name);
    if (codec === undefined) {
      codec = codecOf(this.#add(name, fields));
      this.#codecs.set(name, codec);
    }
    return codec;
  }

  #add(
    name: string,
    fields: readonly Element[],
    parent: protobuf.Namespace = this.#namespace,
  ): protobuf.Type {
    const message = new protobuf.Type(name);
    parent.add(message);
    for (const [index, { identifier, type }] of fields.entries()) {
      const { name: typeName, repeated } = this.#fieldType(message, identifier, type);
      message.add(new protobuf.Field(identifier, index + 1, typeName, repeated ? 'repeated' : undefined));
    }
    return message;
  }

  #fieldType(
    message: protobuf.Type,
    identifier: string,
    type: DataType,
  ): { name: string; repeated: boolean } {
    switch (type.kind) {
      case 'basic':
        return { name: `.${frameworkPackage}.${type.name}`, repeated: false };
      case 'defined':
        if (!this.feature.types.has(type.identifier))
          throw new Error(`${this.feature.fullIdentifier} defines no data type ${type.identifier}`);
        return { name: `.${packageOf(this.feature)}.DataType_${type.identifier}`, repeated: false };
      case 'constrained':
        return this.#fieldType(message, identifier, type.of);
      case 'list': {
        const { name, repeated } = this.#fieldType(message, identifier, type.of);
        if (repeated) throw new Error(`${identifier} of ${this.feature.fullIdentifier} is a list of lists`);
        return { name, repeated: true };
      }
      case 'structure':
        return { name: this.#add(`${identifier}_Struct`, type.elements, message).fullName, repeated: false };
    }
  }
}
