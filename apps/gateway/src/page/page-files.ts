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
  /**
   * The document, with `{zone}` in place of the time zone of this computer, `{address}` in place of that of the service,
   * `{issuer}` in place of where people sign in, and `{sign_in}` in place of why a person could not.
   */
  html: string;
  /** Addresses that the page shows something at. `$name` stands for any text without a slash. */
  addresses: string[];
  assets: { name: string; type: string }[];
}

/** What the document says of the service. */
export interface PageOptions {
  /** What the page calls the issuer at which people sign in; undefined: they cannot. */
  issuer?: string | undefined;
  /** At which clients reach the service, as a URL. The page prints it on labels. Default: it is not said. */
  address?: string | undefined;
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
  static readonly none = new PageFiles('', {}, {});

  /** The document; undefined: no page was built. */
  readonly html: string | undefined;
  readonly addresses: readonly string[];
  readonly #html: string | undefined;
  readonly #types: ReadonlyMap<string, string>;
  readonly #read = new Map<string, Promise<Buffer>>();

  private constructor(
    private readonly folder: string,
    { html, addresses, assets }: Partial<Contents>,
    { issuer = '', address }: PageOptions,
  ) {
    this.#html = html
      ?.replace('{zone}', new Intl.DateTimeFormat().resolvedOptions().timeZone)
      .replace('{address}', () => attributeText(address === undefined ? '' : new URL(address).href))
      .replace('{issuer}', () => attributeText(issuer));
    this.html = this.#html?.replace('{sign_in}', '');
    this.addresses = addresses ?? [];
    this.#types = new Map(assets?.map(({ name, type }) => [name, type]));
  }

  static in({ folder = builtFolder, ...options }: PageOptions & { folder?: string } = {}): PageFiles {
    const path = join(folder, 'page.json');
    const contents = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Contents) : {};
    return new PageFiles(folder, contents, options);
  }

  /**
   * The document for a person who comes back from the issuer.
   *
   * @param failure why they are not signed in, in a sentence; undefined: they are
   * @returns the sentence itself, when no page was built
   */
  documentWith(failure: string | undefined): string {
    const text = attributeText(failure ?? '');
    return (
      this.#html?.replace('{sign_in}', () => text) ?? `<!doctype html><title>Sign-in</title><p>${text}</p>`
    );
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

/** A text as the value of an attribute in double quotes, or as text. */
function attributeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
