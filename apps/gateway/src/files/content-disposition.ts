/**
 * The header that makes a browser save a file under its name (RFC 6266): a plain form that every client reads, and
 * the exact name in UTF-8 (RFC 8187) when the plain form cannot hold it.
 */
export function attachment(name: string): string {
  const plain = name
    // eslint-disable-next-line no-control-regex -- control characters must not reach a header
    .replace(/[\u0000-\u001f\u007f]/g, '_')
    .replace(/[^\u0020-\u007e]/gu, '_')
    .replace(/[/\\%"]/g, '_');
  if (plain === name) return `attachment; filename="${plain}"`;
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
