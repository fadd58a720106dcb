import { status, type ServiceError } from '@grpc/grpc-js';
import { frameworkCodec, frameworkPackage, type BinaryCarrier, type Wire } from '../wire/index.js';
import type { Connection, Method } from './connection.js';
import { errorOfCall, SilaError } from './errors.js';

/** A binary of up to this many bytes travels inside its message: the standard allows 2 MiB. */
const largestInline = 2 * 1024 * 1024;
/** Bytes of a chunk. The standard allows 2 MiB. */
const chunkBytes = 1024 * 1024;
/** Largest binary that is taken, in bytes: a result has to fit the channel of the device in base64. */
const largestBinary = 5 * 1024 * 1024;
const withinMs = 30_000;

const errorCodec = frameworkCodec('BinaryTransferError');

const method = (service: string, name: string, request: string, response: string): Method => ({
  path: `/${frameworkPackage}.${service}/${name}`,
  request: frameworkCodec(request),
  response: frameworkCodec(response),
});

const methods = {
  create: method('BinaryUpload', 'CreateBinary', 'CreateBinaryRequest', 'CreateBinaryResponse'),
  upload: method('BinaryUpload', 'UploadChunk', 'UploadChunkRequest', 'UploadChunkResponse'),
  info: method('BinaryDownload', 'GetBinaryInfo', 'GetBinaryInfoRequest', 'GetBinaryInfoResponse'),
  chunk: method('BinaryDownload', 'GetChunk', 'GetChunkRequest', 'GetChunkResponse'),
  forget: method('BinaryDownload', 'DeleteBinary', 'DeleteBinaryRequest', 'DeleteBinaryResponse'),
};

/**
 * Carries large binaries to and from a server, in chunks.
 *
 * @param parameterOf full identifier of a parameter of the call, which the server demands with an upload
 */
export function binaryCarrier(
  connection: Connection,
  context: Readonly<Record<string, Buffer>>,
  parameterOf: (path: string) => string,
): BinaryCarrier {
  return {
    async upload(bytes, path) {
      if (bytes.length <= largestInline) return undefined;
      const chunkCount = Math.ceil(bytes.length / chunkBytes);
      const created = await connection.unary(
        methods.create,
        { binarySize: bytes.length, chunkCount, parameterIdentifier: parameterOf(path) },
        { context, withinMs },
      );
      const uuid = created['binaryTransferUUID'] as string;
      const chunks = Array.from({ length: chunkCount }, (_, chunkIndex) => ({
        binaryTransferUUID: uuid,
        chunkIndex,
        payload: bytes.subarray(chunkIndex * chunkBytes, (chunkIndex + 1) * chunkBytes),
      }));
      await converse(connection, methods.upload, chunks);
      return uuid;
    },
    async download(uuid) {
      const request = { binaryTransferUUID: uuid };
      const info = await connection.unary(methods.info, request, { withinMs });
      const size = Number(info['binarySize'] ?? 0);
      if (size > largestBinary)
        throw new Error(
          `a binary of ${size} bytes is too large for the result of a call: at most ${largestBinary} are taken`,
        );
      const starts = Array.from({ length: Math.ceil(size / chunkBytes) }, (_, index) => index * chunkBytes);
      const chunks = await converse(
        connection,
        methods.chunk,
        starts.map((offset) => ({ ...request, offset, length: Math.min(chunkBytes, size - offset) })),
      );
      const bytes = Buffer.alloc(size);
      let filled = 0;
      for (const { offset, payload } of chunks) {
        const part = (payload as Buffer | undefined) ?? Buffer.alloc(0);
        filled += part.copy(bytes, Number(offset ?? 0));
      }
      if (filled !== size) throw new Error(`binary ${uuid} has ${size} bytes, and ${filled} of them arrived`);
      // The server forgets it by itself when its lifetime is over.
      connection.unary(methods.forget, request, { withinMs }).catch(() => undefined);
      return bytes;
    },
  };
}

/** Sends requests one after the other, each after the answer to the one before. @returns the answers */
function converse(connection: Connection, each: Method, requests: readonly Wire[]): Promise<Wire[]> {
  return new Promise((resolve, reject) => {
    const answers: Wire[] = [];
    const stream = connection.duplex(each);
    const next = (): void => {
      const request = requests[answers.length];
      if (request === undefined) stream.end();
      else stream.write(request);
    };
    stream.on('data', (answer: Wire) => {
      answers.push(answer);
      next();
    });
    stream.on('error', (error: ServiceError) => reject(errorOf(error, connection.label)));
    stream.on('end', () => {
      if (answers.length === requests.length) resolve(answers);
      else
        reject(
          new Error(
            `${connection.label} ended a binary transfer after ${answers.length} of ${requests.length} chunks`,
          ),
        );
    });
    next();
  });
}

function errorOf(error: ServiceError, label: string): Error {
  if (error.code !== status.ABORTED) return errorOfCall(error, label);
  const wire = errorCodec.decode(Buffer.from(error.details, 'base64'));
  const type = (wire['errorType'] as string | undefined) ?? 'INVALID_BINARY_TRANSFER_UUID';
  return new SilaError(
    'framework',
    type,
    (wire['message'] as string | undefined) ?? 'the server says no more',
  );
}
