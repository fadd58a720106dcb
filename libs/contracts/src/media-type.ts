/** File extensions that are common for instruments, analyses and cameras, with their media types. */
const mediaTypes: Record<string, string> = {
  avi: 'video/x-msvideo',
  bmp: 'image/bmp',
  csv: 'text/csv',
  gif: 'image/gif',
  gz: 'application/gzip',
  h5: 'application/x-hdf5',
  hdf5: 'application/x-hdf5',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  jsonl: 'application/jsonl',
  log: 'text/plain',
  md: 'text/markdown',
  mp4: 'video/mp4',
  nc: 'application/netcdf',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  toml: 'application/toml',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

/**
 * The media type of a file by its name.
 *
 * @param name any text
 * @returns a media type without parameters; `application/octet-stream` for an unknown file extension
 */
export function mediaTypeOf(name: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending] : undefined) ?? 'application/octet-stream';
}
