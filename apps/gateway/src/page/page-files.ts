import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A compressed form of an asset: what a client calls it, and the end of the name of its file. */
const encodings = [
  { name: 'br', end: '.br' },
  { name: 'gzip', end: '.gz' },
] as const;

/** The page as it was built. */
interface Contents {
  /** The document, with `{zone}` in place of the time zone of this computer, and `{address}` in place of that of the service. */
  html: string;
  /** Addresses that the page shows something at. `$name` stands for any text without a slash. */
  addresses: string[];
  assets: { name: string; type: string }[];
}

export interface Asset {
  type: string;
  /** undefined: the content is not compressed. */
  encoding: string | undefined;
  content: Buffer;
}

const builtFolder = fileURLToPath(new URL('../../../web/dist/page/', import.meta.url));

/** The web page in the folder where it was built. Assets are read at their first request and kept: they never change. */
export class PageFiles {
  static readonly none = new PageFiles('', {}, '');

  /** The document; undefined: no page was built. */
  readonly html: string | undefined;
  readonly addresses: readonly string[];
  readonly #types: ReadonlyMap<string, string>;
  readonly #read = new Map<string, Promise<Buffer>>();

  private constructor(
    private readonly folder: string,
    { html, addresses, assets }: Partial<Contents>,
    address: string,
  ) {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    this.html = html?.replace('{zone}', zone).replace('{address}', () => address);
    this.addresses = addresses ?? [];
    this.#types = new Map(assets?.map(({ name, type }) => [name, type]));
  }

  /** @param address at which clients reach the service, as a URL; the page prints it on labels. Default: it is not said */
  static in(folder = builtFolder, address?: string): PageFiles {
    const path = join(folder, 'page.json');
    const contents = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Contents) : {};
    // The text of a URL has no quotation marks.
    return new PageFiles(folder, contents, address === undefined ? '' : new URL(address).href);
  }

  /**
   * @param accepted the header `Accept-Encoding`
   * @returns undefined when the page has no such asset
   */
  async asset(name: string, accepted: string): Promise<Asset | undefined> {
    const type = this.#types.get(name);
    if (type === undefined) return undefined;
    const words = accepted
      .split(',')
      .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
      .map((each) => each.split(';')[0]?.trim());
    const encoding = encodings.find((each) => words.includes(each.name));
    const content = await this.#content(name + (encoding?.end ?? ''));
    return { type, encoding: encoding?.name, content };
  }

  #content(file: string): Promise<Buffer> {
    const known = this.#read.get(file);
    if (known !== undefined) return known;
    const content = readFile(join(this.folder, 'assets', file));
    this.#read.set(file, content);
    content.catch(() => this.#read.delete(file));
    return content;
  }
}
