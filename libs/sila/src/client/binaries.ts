import { frameworkCodec, frameworkPackage, type BinaryCarrier } from '../wire/index.js';
import type { CallContext, Channel, Method } from './channel.js';

/** A binary of up to this many bytes travels inside its message: the standard allows 2 MiB. */
const largestInline = 2 * 1024 * 1024;
/** Bytes of a chunk. The standard allows 2 MiB. */
const chunkBytes = 1024 * 1024;
/** Largest binary that is taken, in bytes: a result has to fit the channel of the device in base64. */
const largestBinary = 5 * 1024 * 1024;
const withinMs = 30_000;

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
  channel: Channel,
  context: CallContext,
  parameterOf: (path: string) => string,
): BinaryCarrier {
  return {
    async upload(bytes, path) {
      if (bytes.length <= largestInline) return undefined;
      const chunkCount = Math.ceil(bytes.length / chunkBytes);
      const created = await channel.unary(
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
      await channel.converse(methods.upload, chunks);
      return uuid;
    },
    async download(uuid) {
      const request = { binaryTransferUUID: uuid };
      const info = await channel.unary(methods.info, request, { withinMs });
      const size = Number(info['binarySize'] ?? 0);
      if (size > largestBinary)
        throw new Error(
          `a binary of ${size} bytes is too large for the result of a call: at most ${largestBinary} are taken`,
        );
      const starts = Array.from({ length: Math.ceil(size / chunkBytes) }, (_, index) => index * chunkBytes);
      const chunks = await channel.converse(
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
      channel.unary(methods.forget, request, { withinMs }).catch(() => undefined);
      return bytes;
    },
  };
}
