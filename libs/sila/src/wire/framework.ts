import type { JsonObject } from '@lab/sdk';
import protobuf from 'protobufjs';

/** The messages that all features share. Part B of the standard gives their fields and numbers. */
const definition = `
syntax = "proto3";
package sila2.org.silastandard;

message String { string value = 1; }
message Integer { int64 value = 1; }
message Real { double value = 1; }
message Boolean { bool value = 1; }
message Binary { oneof union { bytes value = 1; string binaryTransferUUID = 2; } }
message Timezone { int32 hours = 1; uint32 minutes = 2; }
message Date { uint32 day = 1; uint32 month = 2; uint32 year = 3; Timezone timezone = 4; }
message Time { uint32 second = 1; uint32 minute = 2; uint32 hour = 3; Timezone timezone = 4; uint32 millisecond = 5; }
message Timestamp {
  uint32 second = 1; uint32 minute = 2; uint32 hour = 3; uint32 day = 4; uint32 month = 5; uint32 year = 6;
  Timezone timezone = 7; uint32 millisecond = 8;
}
message Any { string type = 1; bytes payload = 2; }

message Duration { int64 seconds = 1; int32 nanos = 2; }
message CommandExecutionUUID { string value = 1; }
message CommandConfirmation { CommandExecutionUUID commandExecutionUUID = 1; Duration lifetimeOfExecution = 2; }
message ExecutionInfo {
  enum CommandStatus { waiting = 0; running = 1; finishedSuccessfully = 2; finishedWithError = 3; }
  CommandStatus commandStatus = 1; Real progressInfo = 2; Duration estimatedRemainingTime = 3;
  Duration updatedLifetimeOfExecution = 4;
}

message SiLAError {
  oneof error {
    ValidationError validationError = 1; DefinedExecutionError definedExecutionError = 2;
    UndefinedExecutionError undefinedExecutionError = 3; FrameworkError frameworkError = 4;
  }
}
message ValidationError { string parameter = 1; string message = 2; }
message DefinedExecutionError { string errorIdentifier = 1; string message = 2; }
message UndefinedExecutionError { string message = 1; }
message FrameworkError {
  enum ErrorType {
    COMMAND_EXECUTION_NOT_ACCEPTED = 0; INVALID_COMMAND_EXECUTION_UUID = 1; COMMAND_EXECUTION_NOT_FINISHED = 2;
    INVALID_METADATA = 3; NO_METADATA_ALLOWED = 4;
  }
  ErrorType errorType = 1; string message = 2;
}

message CreateBinaryRequest { uint64 binarySize = 1; uint32 chunkCount = 2; string parameterIdentifier = 3; }
message CreateBinaryResponse { string binaryTransferUUID = 1; Duration lifetimeOfBinary = 2; }
message UploadChunkRequest { string binaryTransferUUID = 1; uint32 chunkIndex = 2; bytes payload = 3; }
message UploadChunkResponse { string binaryTransferUUID = 1; uint32 chunkIndex = 2; Duration lifetimeOfBinary = 3; }
message DeleteBinaryRequest { string binaryTransferUUID = 1; }
message DeleteBinaryResponse { }
message GetBinaryInfoRequest { string binaryTransferUUID = 1; }
message GetBinaryInfoResponse { uint64 binarySize = 1; Duration lifetimeOfBinary = 2; }
message GetChunkRequest { string binaryTransferUUID = 1; uint64 offset = 2; uint32 length = 3; }
message GetChunkResponse {
  string binaryTransferUUID = 1; uint64 offset = 2; bytes payload = 3; Duration lifetimeOfBinary = 4;
}
message BinaryTransferError {
  enum ErrorType { INVALID_BINARY_TRANSFER_UUID = 0; BINARY_UPLOAD_FAILED = 1; BINARY_DOWNLOAD_FAILED = 2; }
  ErrorType errorType = 1; string message = 2;
}
`;

export const frameworkPackage = 'sila2.org.silastandard';

/** A new root of types with the messages of the framework. Each feature gets a root of its own. */
export function frameworkRoot(): protobuf.Root {
  return protobuf.parse(definition, new protobuf.Root(), { keepCase: true }).root;
}

const shared = frameworkRoot();

/** @param name as in `CommandConfirmation` */
export function frameworkType(name: string): protobuf.Type {
  return shared.lookupType(`${frameworkPackage}.${name}`);
}

/** An object as protobufjs encodes and decodes it. */
export type Wire = Record<string, unknown>;

export interface Codec {
  encode(value: Wire): Buffer;
  /** Absent messages are undefined, absent plain values are their defaults. @throws Error when the bytes do not fit */
  decode(bytes: Uint8Array): Wire;
  /** The message as JSON: binaries are base64, and integers of 64 bits texts. `encode` takes it as it takes the message. */
  json(value: Wire): JsonObject;
}

export function codecOf(type: protobuf.Type): Codec {
  return {
    encode: (value) => Buffer.from(type.encode(type.fromObject(value)).finish()),
    decode: (bytes) =>
      // Integers of 64 bits stay exact: they become texts.
      type.toObject(type.decode(bytes), { longs: String, enums: String, bytes: Buffer, defaults: false }),
    json: (value) =>
      type.toObject(type.fromObject(value), {
        ...{ longs: String, enums: String, bytes: String, defaults: false },
        // Numbers that are not finite become texts.
        json: true,
      }) as JsonObject,
  };
}

/** Codec of a message of the framework. */
export function frameworkCodec(name: string): Codec {
  return codecOf(frameworkType(name));
}
